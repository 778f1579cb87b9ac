// Four handles on the camera's picture. The grid between them is drawn in
// perspective: where it lies flat on the table, the corners are right.
const $ = (id) => document.getElementById(id);
const svg = "http://www.w3.org/2000/svg";
const handles = [...document.querySelectorAll(".handle")];
const rows = 6; // of the grid

const question = await (await fetch("question")).json();
const { width, height } = question;
$("width").value = question.width_mm;
$("height").value = question.height_mm;
$("grid").setAttribute("viewBox", `0 0 ${width} ${height}`);
$("picture").style.aspectRatio = `${width} / ${height}`;
const corners = [[0.12, 0.12], [0.88, 0.12], [0.88, 0.88], [0.12, 0.88]].map(([x, y]) => [x * width, y * height]);

handles.forEach((handle, i) => {
  let grip = null; // from the pointer to the handle's middle, in pixels of the screen
  handle.addEventListener("pointerdown", (e) => {
    const box = handle.getBoundingClientRect();
    grip = [box.x + box.width / 2 - e.clientX, box.y + box.height / 2 - e.clientY];
    handle.setPointerCapture(e.pointerId);
    handle.focus({ focusVisible: false });
    look(i);
    e.preventDefault();
  });
  handle.addEventListener("pointermove", (e) => {
    if (!grip) return;
    const box = $("stage").getBoundingClientRect();
    move(i, (e.clientX + grip[0] - box.x) / box.width * width, (e.clientY + grip[1] - box.y) / box.height * height);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    handle.addEventListener(end, () => { grip = null; $("loupe").hidden = true; });
  }
  handle.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (!step) return;
    e.preventDefault();
    const by = e.shiftKey ? 10 : 1;
    move(i, corners[i][0] + by * step[0], corners[i][1] + by * step[1]);
    look(i);
  });
  handle.addEventListener("blur", () => { $("loupe").hidden = true; });
});

let moved = false; // handles that nobody touched mark nothing

function move(i, x, y) {
  moved = true;
  corners[i] = [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)];
  draw();
  look(i);
}

// look shows the picture around a corner, three times as large as it came.
function look(i) {
  const [x, y] = corners[i];
  const loupe = $("loupe");
  loupe.hidden = false;
  const left = x > width / 2;
  loupe.classList.toggle("left", left);
  loupe.classList.toggle("right", !left);
  const c = loupe.getContext("2d");
  const size = loupe.width;
  const part = size / 3;
  c.fillStyle = "#000";
  c.fillRect(0, 0, size, size);
  const scale = $("picture").naturalWidth / width;
  c.drawImage($("picture"), (x - part / 2) * scale, (y - part / 2) * scale, part * scale, part * scale, 0, 0, size, size);
  c.strokeStyle = "#49e0d0";
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(size / 2, 0);
  c.lineTo(size / 2, size);
  c.moveTo(0, size / 2);
  c.lineTo(size, size / 2);
  c.stroke();
}

// onto maps the unit square to the corners (P. S. Heckbert, Fundamentals of
// Texture Mapping and Image Warping, 1989, 2.2.3); null where they are not convex.
function onto([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
  const turns = [[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]].map(([a, b, c]) =>
    (corners[b][0] - corners[a][0]) * (corners[c][1] - corners[b][1]) - (corners[b][1] - corners[a][1]) * (corners[c][0] - corners[b][0]));
  if (turns.some((t) => t <= 0)) return null;
  const dx1 = x1 - x2, dx2 = x3 - x2, dx3 = x0 - x1 + x2 - x3;
  const dy1 = y1 - y2, dy2 = y3 - y2, dy3 = y0 - y1 + y2 - y3;
  const det = dx1 * dy2 - dx2 * dy1;
  const g = (dx3 * dy2 - dx2 * dy3) / det;
  const h = (dx1 * dy3 - dx3 * dy1) / det;
  return (u, v) => {
    const w = g * u + h * v + 1;
    return [((x1 - x0 + g * x1) * u + (x3 - x0 + h * x3) * v + x0) / w, ((y1 - y0 + g * y1) * u + (y3 - y0 + h * y3) * v + y0) / w];
  };
}

function draw() {
  handles.forEach((handle, i) => {
    handle.style.left = `${corners[i][0] / width * 100}%`;
    handle.style.top = `${corners[i][1] / height * 100}%`;
  });
  const unit = width / Math.max($("stage").clientWidth, 1);
  const map = onto(corners);
  const lines = [];
  if (map) {
    const columns = Math.max(2, Math.round(rows * ($("width").value / $("height").value || 1)));
    for (let i = 1; i < columns; i++) lines.push([map(i / columns, 0), map(i / columns, 1)]);
    for (let i = 1; i < rows; i++) lines.push([map(0, i / rows), map(1, i / rows)]);
  }
  $("grid").classList.toggle("wrong", !map);
  $("grid").replaceChildren(
    ...lines.map(([a, b]) => make("line", { class: "inner", x1: a[0], y1: a[1], x2: b[0], y2: b[1], "stroke-width": unit })),
    make("polygon", { class: "under", points: corners.join(" "), "stroke-width": 5 * unit }),
    make("polygon", { class: "edge", points: corners.join(" "), "stroke-width": 2.5 * unit }),
  );
}

function make(name, attributes) {
  const e = document.createElementNS(svg, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

function say(state, text) {
  $("said").dataset.state = state;
  $("said").textContent = text;
}

$("form").addEventListener("submit", async (e) => {
  e.preventDefault();
  if (!moved) {
    say("bad", "Drag the handles onto the corners of the play area first.");
    return;
  }
  say("", "Saving …");
  try {
    const answer = await fetch("answer", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ corners, width_mm: Number($("width").value), height_mm: Number($("height").value) }),
    });
    if (!answer.ok) {
      say("bad", (await answer.text()).trim());
      return;
    }
    for (const control of document.querySelectorAll(".handle, #form input, #form button")) control.disabled = true;
    say("good", "Saved. You can close this page; the terminal says how to go on.");
  } catch {
    say("bad", "The scanner does not answer: look at its terminal.");
  }
});
for (const id of ["width", "height"]) $(id).addEventListener("input", draw);
addEventListener("resize", draw);
draw();
