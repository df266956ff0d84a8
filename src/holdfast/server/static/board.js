"use strict";
// Comforts only: every page works without this file.

// A file that is dropped on the form is chosen in it.
const drop = document.getElementById("drop");
if (drop) {
  const input = document.getElementById("file");
  const chosen = document.getElementById("chosen");
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const kind of ["dragleave", "drop"]) {
    drop.addEventListener(kind, () => drop.classList.remove("over"));
  }
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
      chosen.textContent = input.files[0].name;
    }
  });
}

// Times are shown in UTC; the reader's own is the tip that a pointer brings up.
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (!Number.isNaN(at.valueOf())) time.title = at.toLocaleString();
}

// A table that is wider than its place says so.
const watched = new ResizeObserver((entries) => {
  for (const { target } of entries) target.classList.toggle("goes-on", target.scrollWidth > target.clientWidth);
});
for (const table of document.querySelectorAll(".wide")) watched.observe(table);
