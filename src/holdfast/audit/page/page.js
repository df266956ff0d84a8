"use strict";
const panel = (() => {
  const axisOf = (surfaces, name) => surfaces.axes[name];
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  // Where a value lies on an axis: the two neighbours and how far it is from the first.
  const place = (axis, value) => {
    const logs = axis.map(Math.log);
    const at = clamp(Math.log(value), logs[0], logs[logs.length - 1]);
    let i = 0;
    while (i < logs.length - 2 && at > logs[i + 1]) i += 1;
    return [i, (at - logs[i]) / (logs[i + 1] - logs[i])];
  };
  // A coordinate is an index (decimals, steps) or a place between two of them.
  const lookUp = (values, coordinates) => {
    if (coordinates.length === 0) return values;
    const [first, ...rest] = coordinates;
    if (typeof first === "number") return lookUp(values[first], rest);
    const [i, share] = first;
    const low = lookUp(values[i], rest);
    const high = share > 0 ? lookUp(values[i + 1], rest) : low;
    if (low === null || high === null) return null;
    // Gains follow power laws: between positive ones the logarithm is what changes evenly.
    return low > 0 && high > 0 ? low * (high / low) ** share : low + share * (high - low);
  };
  const plain = (value) => Number(value.toPrecision(2));
  const number = (value) => value.toLocaleString("en");

  const slider = (form, name, text, least, most, step, value, show, onInput) => {
    const label = document.createElement("label");
    const output = document.createElement("output");
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min: least, max: most, step, value, id: `what-if-${name}`, name });
    output.htmlFor = input.id;
    label.append(text, output, input);
    form.append(label);
    const update = () => {
      output.textContent = show(Number(input.value));
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => { update(); onInput(); });
    update();
    return { label, value: () => Number(input.value), refresh: update };
  };

  return (surfaces, start, draw, spec) => {
    const section = document.getElementById("what-if");
    const form = document.getElementById("what-if-form");
    const sentence = document.getElementById("what-if-sentence");
    section.hidden = false;
    let view = null;
    let redraw = () => {};
    const logSlider = (name, text, value) => {
      const axis = axisOf(surfaces, name);
      const ends = [Math.log(axis[0]), Math.log(axis[axis.length - 1])];
      const at = clamp(Math.log(value), ends[0], ends[1]);
      const made = slider(form, name, text, ends[0], ends[1], "any", at, (x) => number(plain(Math.exp(x))), () => redraw());
      return { ...made, value: () => plain(Math.exp(made.value())) };
    };
    const listSlider = (name, text, value, show) => {
      const axis = axisOf(surfaces, name);
      const at = Math.max(axis.indexOf(value), 0);
      return slider(form, name, text, 0, axis.length - 1, 1, at, (i) => show(axis[i]), () => redraw());
    };
    const n = logSlider("n_examples", "examples", start.n_examples);
    const m = logSlider("n_classes", "classes", start.n_classes);
    const looks = logSlider("looks", "looks per account", start.looks);
    const accounts = logSlider("accounts", "colluding accounts", start.accounts);
    const rule = slider(form, "rule", "release rule", 0, 1, 1, start.rule === "ladder" ? 1 : 0,
      (i) => (i ? "Ladder" : "rounding"), () => redraw());
    const decimals = listSlider("decimals", "rounded to", start.decimals, (d) => (d === null ? "nothing hidden" : `${d} decimal${d === 1 ? "" : "s"}`));
    const step = listSlider("step", "Ladder step", start.step, (x) => `${+(100 * x).toFixed(2)} points`);

    const gains = (k) => {
      const at = [place(axisOf(surfaces, "n_examples"), n.value()), place(axisOf(surfaces, "n_classes"), m.value())];
      const axis = axisOf(surfaces, "looks");
      if (rule.value()) {
        const with_k = [...at, place(axis, k), step.value()];
        const account = place(axisOf(surfaces, "accounts"), accounts.value());
        // For what is possible, looks count whichever account they come from.
        const together = [...at, place(axis, k * accounts.value()), step.value()];
        return { possible: lookUp(surfaces.ladder.possible, together), allowed: lookUp(surfaces.ladder.allowed, [...with_k, account]) };
      }
      // Rounding remembers nothing: accounts only add up their looks.
      const together = [...at, place(axis, k * accounts.value()), decimals.value()];
      return { possible: lookUp(surfaces.round.possible, together), allowed: lookUp(surfaces.round.allowed, together) };
    };
    const rows = () => {
      const axis = axisOf(surfaces, "looks");
      const [low, high] = [Math.log(axis[0]), Math.log(axis[axis.length - 1])];
      const out = [];
      for (let i = 0; i <= 60; i += 1) {
        const k = Math.exp(low + ((high - low) * i) / 60);
        const gain = gains(k);
        for (const line of ["possible", "allowed"]) {
          if (gain[line] !== null && gain[line] >= 0.01) out.push({ line, looks: k, points: gain[line] });
        }
      }
      return out;
    };
    const say = () => {
      const gain = gains(looks.value());
      const shown = (x) => (x === null ? "nothing certified" : `${x.toFixed(2)} points`);
      sentence.textContent = `Possible: ${rule.value() ? "roughly" : "about"} ${shown(gain.possible)}. Allowed: ${gain.allowed === null ? shown(null) : `at most ${shown(gain.allowed)}`}.`;
    };
    redraw = () => {
      decimals.label.hidden = Boolean(rule.value());
      step.label.hidden = !rule.value();
      say();
      if (!view) return;
      const said = sentence.textContent;
      const chart = document.getElementById("what-if-chart");
      // What is drawn is marked with its sentence, so that it can be told when the curve follows.
      view.data("curves", rows()).data("here", [{ looks: looks.value() }]).runAsync()
        .then(() => { chart.dataset.drawn = said; });
    };
    return () => {
      const filled = { ...spec, datasets: { curves: rows(), here: [{ looks: looks.value() }] } };
      draw("what-if-chart", filled).then((result) => { view = result.view; redraw(); });
    };
  };
})();

(() => {
  const data = (id) => JSON.parse(document.getElementById(id).textContent);
  const charts = data("charts");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const still = { actions: false, renderer: "svg" };

  // The charts take the page's colours, so that light, dark and print look like one thing.
  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const text = { labelColor: colour("--ink"), titleColor: colour("--ink") };
    return {
      font: getComputedStyle(document.body).fontFamily,
      axis: {
        ...text, gridColor: colour("--line"), domainColor: colour("--quiet"), tickColor: colour("--quiet"),
        labelFontSize: 12, titleFontSize: 13, titleFontWeight: 500,
      },
      legend: { ...text, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, symbolStrokeColor: colour("--ink"),
        columns: [640, 1000].filter((width) => document.body.clientWidth >= width).length + 1, layout: { bottom: { anchor: "start", direction: "vertical" } } },
      view: { stroke: null },
      rule: { color: colour("--ink") },
      text: { color: colour("--ink"), fontSize: 12 },
      line: { color: colour("--ink") },
    };
  };
  const draw = (id, spec) => vegaEmbed(`#${id}`, spec, { ...still, config: theme() });

  const drawGain = () => draw("gain-chart", charts.gain);
  let redrawWhatIf = () => {};
  const drawAll = () => { drawGain(); redrawWhatIf(); };
  dark.addEventListener("change", drawAll);

  // The what-if panel: gains on a precomputed grid, interpolated on logarithmic axes.
  const { surfaces, start } = data("what-if-data");
  if (surfaces.axes) redrawWhatIf = panel(surfaces, start, draw, charts.whatIf);

  drawAll();
})();
