// Each player's zone, drawn on the camera's picture: corners are dragged, or moved with the arrow keys.
import { ask, make, say, toast } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";
const STEP = 0.01, LARGE = 0.05;
const place = document.getElementById("zones");
const lines = document.getElementById("zones-lines");
const corners = document.getElementById("zones-corners");
const told = document.getElementById("zones-told");
const image = document.getElementById("zones-image");
const zones = JSON.parse(place.dataset.zones);

const inside = (share) => Math.min(1, Math.max(0, share));
const handles = [];

function paint() {
  lines.replaceChildren(...zones.map((zone, n) => {
    const shape = document.createElementNS(SVG, "polygon");
    shape.setAttribute("points", zone.corners.map(([x, y]) => `${1000 * x},${1000 * y}`).join(" "));
    shape.setAttribute("class", `zone zone-${n % 6}`);
    return shape;
  }));
  for (const { node, zone, n } of handles) {
    const [x, y] = n === null ? middle(zone) : zone.corners[n];
    node.style.left = `${100 * x}%`;
    node.style.top = `${100 * y}%`;
  }
}
function middle(zone) {
  const sum = zone.corners.reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]);
  return [sum[0] / zone.corners.length, sum[1] / zone.corners.length];
}

function moveBy(zone, n, dx, dy) {
  if (n !== null) zone.corners[n] = [inside(zone.corners[n][0] + dx), inside(zone.corners[n][1] + dy)];
  else {
    const xs = zone.corners.map((corner) => corner[0]), ys = zone.corners.map((corner) => corner[1]);
    const right = Math.max(-Math.min(...xs), Math.min(1 - Math.max(...xs), dx)), down = Math.max(-Math.min(...ys), Math.min(1 - Math.max(...ys), dy));
    zone.corners = zone.corners.map(([x, y]) => [x + right, y + down]);
  }
  told.textContent = say("not_kept");
  paint();
}

function handle(zone, n, number) {
  const name = n === null ? say("zone_of", { name: zone.player }) : say("corner_of", { name: zone.player, number: n + 1 });
  const node = make("button", { type: "button", class: `${n === null ? "zone-name" : "corner"} zone-${number % 6}`, "aria-label": name }, n === null ? zone.player : "");
  let from = null;
  node.addEventListener("pointerdown", (event) => { node.setPointerCapture(event.pointerId); from = [event.clientX, event.clientY]; });
  node.addEventListener("pointermove", (event) => {
    if (!from) return;
    const box = corners.getBoundingClientRect();
    moveBy(zone, n, (event.clientX - from[0]) / box.width, (event.clientY - from[1]) / box.height);
    from = [event.clientX, event.clientY];
  });
  for (const end of ["pointerup", "pointercancel"]) node.addEventListener(end, () => { from = null; });
  node.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? LARGE : STEP;
    const [dx, dy] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key] ?? [0, 0];
    if (dx || dy) { event.preventDefault(); moveBy(zone, n, dx, dy); }
  });
  handles.push({ node, zone, n });
  return node;
}

async function keep(list) {
  try {
    await ask(place.dataset.keep, "PUT", { zones: list });
    told.textContent = say("kept");
    toast(say("kept"));
  } catch (error) { toast(error.message); }
}
document.getElementById("zones-keep").addEventListener("click", () => keep(zones));
document.getElementById("zones-none").addEventListener("click", () => keep([]));
document.getElementById("zones-again").addEventListener("click", () => { image.src = `${image.src.split("?")[0]}?${Date.now()}`; });

corners.replaceChildren(...zones.flatMap((zone, number) => [handle(zone, null, number), ...zone.corners.map((_, n) => handle(zone, n, number))]));
paint();
