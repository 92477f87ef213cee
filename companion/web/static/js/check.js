// Check: a photo or typed melds, judged at once.
import { ask, make, parts, pieces, plain, rich, say } from "./common.js";
import { builder } from "./pad.js";
import { Reading } from "./reading.js";

const form = document.getElementById("check");
const games = JSON.parse(form.dataset.games);
const match = form.dataset.match ? JSON.parse(form.dataset.match) : null;
const place = document.getElementById("reading");
const field = document.getElementById("melds");
const kindOf = () => games.find((game) => game.name === form.elements.game.value).pieces;
let reading = null;

const about = () => ({ game: form.elements.game.value, as: form.elements.as.value, match: match?.game === form.elements.game.value ? match.id : "" });

async function read(file) {
  if (!file) return;
  reading = new Reading(place, about(), kindOf());
  document.getElementById("typed").hidden = true;
  if (!(await reading.photo(file))) document.getElementById("typed").hidden = false;
}

for (const id of ["photo", "picked"]) {
  document.getElementById(id).addEventListener("change", (event) => { read(event.target.files[0]); event.target.value = ""; });
}
const drop = document.getElementById("drop");
document.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
document.addEventListener("dragleave", () => drop.classList.remove("over"));
document.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); read(event.dataTransfer.files[0]); });
document.addEventListener("paste", (event) => { if (event.clipboardData.files[0]) read(event.clipboardData.files[0]); });
for (const button of document.querySelectorAll("[data-sample]")) {
  button.addEventListener("click", async () => {
    form.elements.as.value = button.dataset.as;
    read(await (await fetch(button.dataset.sample)).blob());
  });
}

let turn = 0;
async function judge() {
  const rows = field.value.replaceAll("/", "\n").split("\n").map((row) => row.trim()).filter(Boolean);
  const box = document.getElementById("verdict");
  if (!rows.length) { box.replaceChildren(); return; }
  const mine = ++turn;
  try {
    const found = await ask("/api/judge", "POST", { game: form.elements.game.value, as: form.elements.as.value, melds: rows });
    if (mine !== turn) return;
    const list = found.melds.map((meld) => make("div", { class: `meld ${meld.verdict.ok ? "ok" : "no"}` },
      make("span", { class: "head" }, make("strong", {}, say(meld.verdict.ok ? "legal" : "not_legal")), make("span", { class: "number" }, meld.verdict.value ? `${plain(meld.verdict.value)} ${say("points")}` : "")),
      pieces(meld.pieces), meld.verdict.ok ? null : make("p", { class: "why" }, ...parts(meld.verdict.faults[0].parts))));
    const total = found.opening;
    if (total) {
      const sum = total.need ? say("of_needed", { value: plain(total.value), need: total.need }) : "";
      list.unshift(make("div", { class: `verdict ${total.ok ? "ok" : "no"}`, role: "status" }, make("p", { class: "answer" }, `${total.ok ? "✓" : "✗"} `, ...rich(total.sentence)), make("p", { class: "sum" }, sum)));
    }
    box.replaceChildren(...list);
  } catch (error) { box.replaceChildren(make("p", { class: "fault", role: "alert" }, error.message)); }
}

function build() { builder(document.getElementById("builder"), field, { kind: kindOf(), many: true, label: say("meld", { number: "" }).trim(), changed: judge }); }
form.elements.game.addEventListener("change", () => { field.value = ""; build(); judge(); place.replaceChildren(); document.getElementById("typed").hidden = false; });
form.elements.as.addEventListener("change", async () => {
  judge();
  if (reading?.scene) { reading.about = about(); await reading.edit(); }
});
form.addEventListener("submit", (event) => { event.preventDefault(); judge(); });
build();
if (field.value) judge();
