"use strict";
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
        columns: document.body.clientWidth < 640 ? 1 : 3, layout: { bottom: { anchor: "start", direction: "vertical" } } },
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

  // WHAT_IF

  drawAll();
})();
