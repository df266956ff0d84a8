(() => {
  const data = (id) => JSON.parse(document.getElementById(id).textContent);
  const charts = data("charts");
  const narrow = window.matchMedia("(max-width: 44rem)");
  const draw = (id, spec) => vegaEmbed(`#${id}`, spec, { actions: false, renderer: "svg" });

  // Colours are the page's own variables, so that a drawing follows light, dark and print by itself.
  // Where lines have no room for names at their ends, they have a legend.
  const fitting = ({ wide, narrow: small }) => (narrow.matches ? small : wide);
  let drawWhatIf = () => {};
  const drawAll = () => { if (charts.gain) draw("gain-chart", fitting(charts.gain)); drawWhatIf(); };
  const { surfaces, start } = data("what-if-data");
  if (surfaces && surfaces.axes) {
    const drawPanel = panel(surfaces, start, draw, charts.whatIf.height);
    drawWhatIf = () => drawPanel(fitting(charts.whatIf));
  } else document.querySelector('.contents a[href="#what-if"]')?.parentElement.remove();
  narrow.addEventListener("change", drawAll);
  drawAll();

  // A table that goes on to the right says so, until its end is reached.
  const boxes = [...document.querySelectorAll(".wide")].map((wide) => [wide, wide.querySelector(".scroll")]);
  const sign = () => {
    for (const [wide, box] of boxes) {
      wide.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
      wide.classList.toggle("overflows", box.scrollWidth > box.clientWidth + 2);
    }
  };
  for (const [, box] of boxes) box.addEventListener("scroll", sign, { passive: true });
  for (const each of document.querySelectorAll("details")) each.addEventListener("toggle", sign);
  window.addEventListener("resize", sign);
  document.documentElement.classList.add("scripted");
  sign();

  // Paper can't be unfolded.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const each of folded) each.open = true;
  });
  window.addEventListener("afterprint", () => { for (const each of folded) each.open = false; });
})();
