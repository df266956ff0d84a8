"use strict";
// The what-if panel: gains on a precomputed grid, interpolated on logarithmic axes.
const panel = (() => {
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const number = (value) => value.toLocaleString("en");

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

  // A whole number that can be typed, and a slider beside it that moves it on a logarithmic axis.
  const wholeNumber = (form, name, text, axis, value, onChange) => {
    const [least, most] = [axis[0], axis[axis.length - 1]];
    const label = document.createElement("label");
    const typed = document.createElement("input");
    const slider = document.createElement("input");
    const start = clamp(Math.round(value), least, most);
    Object.assign(typed, { type: "number", min: least, max: most, step: 1, value: start, id: `what-if-${name}`, name });
    Object.assign(slider, { type: "range", min: Math.log(least), max: Math.log(most), step: "any", value: Math.log(start), id: `what-if-${name}-slider` });
    slider.setAttribute("aria-label", `${text}, slider`);
    label.htmlFor = typed.id;
    label.textContent = text;
    const field = document.createElement("div");
    field.append(label, typed, slider);
    form.append(field);
    let now = start;
    const tell = () => slider.setAttribute("aria-valuetext", number(now));
    slider.addEventListener("input", () => {
      // Two digits are as many as a hand can set; every number that is shown is whole.
      now = clamp(Math.round(Number(Math.exp(slider.value).toPrecision(2))), least, most);
      typed.value = now;
      tell();
      onChange();
    });
    typed.addEventListener("input", () => {
      const given = Math.round(Number(typed.value));
      if (!(given >= least && given <= most)) return;
      now = given;
      slider.value = Math.log(now);
      tell();
      onChange();
    });
    typed.addEventListener("change", () => { typed.value = now; });
    tell();
    return () => now;
  };

  // One menu for the rule and its setting.
  const ruleMenu = (form, axes, wanted, onChange) => {
    const label = document.createElement("label");
    const menu = document.createElement("select");
    Object.assign(menu, { id: "what-if-rule", name: "rule" });
    label.htmlFor = menu.id;
    label.textContent = "release rule";
    const rules = [];
    const group = (text, choices) => {
      const options = document.createElement("optgroup");
      options.label = text;
      for (const choice of choices) {
        options.append(new Option(choice.text, String(rules.length)));
        rules.push(choice);
      }
      menu.append(options);
    };
    const points = (x) => `${+(100 * x).toFixed(2)} point${+(100 * x).toFixed(2) === 1 ? "" : "s"}`;
    const scores = axes.decimals.map((d, at) => (d === null
      ? { rule: "exact", text: "exact", at }
      : { rule: `round:${d}`, text: `round:${d} (${points(10 ** -d)} apart)`, at }));
    const exact = scores.filter((each) => each.rule === "exact");
    group("scores", [...exact, ...scores.filter((each) => each.rule !== "exact").reverse()]);
    group("Ladder: improvements by a step", axes.step.map((step, at) => ({ rule: `ladder:${step}`, text: `ladder:${step} (${points(step)})`, at, ladder: true })));
    const at = rules.findIndex((each) => each.rule === wanted);
    menu.selectedIndex = Math.max(at, 0);
    menu.addEventListener("change", onChange);
    const field = document.createElement("div");
    field.append(label, menu);
    if (at < 0) {
      const note = document.createElement("span");
      note.className = "small";
      note.textContent = `There are no formulas here for today's ${wanted}.`;
      field.append(note);
    }
    form.append(field);
    return () => rules[menu.selectedIndex];
  };

  return (surfaces, start, draw, height) => {
    const { axes } = surfaces;
    const form = document.getElementById("what-if-form");
    const sentence = document.getElementById("what-if-sentence");
    const chart = document.getElementById("what-if-chart");
    document.getElementById("what-if").hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    let view = null;
    let drawn = new Set();
    let redraw = () => {};
    const whole = (name, text) => wholeNumber(form, name, text, axes[name], start[name], () => redraw());
    const rule = ruleMenu(form, axes, start.rule, () => redraw());
    const n = whole("n_examples", "examples");
    const m = whole("n_classes", "classes");
    const looks = whole("looks", "scored submissions per account");
    const accounts = whole("accounts", "accounts that work together");

    const gains = (k) => {
      const at = [place(axes.n_examples, n()), place(axes.n_classes, m())];
      const { ladder, at: setting } = rule();
      // For what is possible, looks count whichever account they come from; and rounding remembers
      // nothing, so that accounts only add up their looks.
      const together = [...at, place(axes.looks, k * accounts()), setting];
      if (!ladder) {
        return { possible: lookUp(surfaces.round.possible, together), allowed: lookUp(surfaces.round.allowed, together) };
      }
      const each = [...at, place(axes.looks, k), setting, place(axes.accounts, accounts())];
      return { possible: lookUp(surfaces.ladder.possible, together), allowed: lookUp(surfaces.ladder.allowed, each) };
    };
    const names = { possible: "forecast", allowed: "no attack can exceed" };
    const [least, most] = [0.01, 100];
    const [first, last] = [axes.looks[0], axes.looks[axes.looks.length - 1]];
    const datasets = () => {
      const curves = [];
      const hover = [];
      const ends = [];
      for (let i = 0; i <= 60; i += 1) {
        const k = Math.exp(Math.log(first) + (Math.log(last / first) * i) / 60);
        const gain = gains(k);
        const row = { "scored submissions per account": Math.round(k) };
        for (const [key, line] of Object.entries(names)) {
          if (gain[key] === null) continue;
          row[`${line}, points`] = gain[key].toFixed(2);
          if (gain[key] >= least) curves.push({ line, looks: k, points: gain[key] });
        }
        hover.push(row);
      }
      for (const line of Object.values(names)) {
        const end = curves.filter((each) => each.line === line).pop();
        if (end) ends.push({ line, looks: end.looks, height: clamp(height * (1 - Math.log(end.points / least) / Math.log(most / least)), 0, height) });
      }
      // Two names that would overlap move apart; the forecast is never the larger one.
      if (ends.length === 2 && ends[0].height - ends[1].height < 15) ends[0].height = ends[1].height + 15;
      return { curves, hover, ends, here: [{ looks: looks() }] };
    };
    const say = () => {
      const gain = gains(looks());
      const shown = (x) => (x === null ? "nothing certified" : `${x.toFixed(2)} points`);
      sentence.textContent = `Forecast: ${rule().ladder ? "roughly" : "about"} ${shown(gain.possible)}. No attack can exceed: ${shown(gain.allowed)}.`;
    };
    redraw = () => {
      say();
      if (!view) return;
      const said = sentence.textContent;
      for (const [name, rows] of Object.entries(datasets())) if (drawn.has(name)) view.data(name, rows);
      // What is drawn is marked with its sentence, so that it can be told when the curve follows.
      view.runAsync().then(() => { chart.dataset.drawn = said; });
    };
    return (spec) => {
      view = null;
      drawn = new Set(spec.layer.map((layer) => layer.data.name));
      draw("what-if-chart", { ...spec, datasets: datasets() }).then((result) => { view = result.view; redraw(); });
    };
  };
})();
