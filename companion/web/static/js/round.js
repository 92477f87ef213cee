// Scoring a round: builders of melds, photos, points as one types, one scorer at a time.
import { ask, linesOf, make, newKey, parts, piece, say, signed, toast } from "./common.js";
import { builder, compose } from "./pad.js";
import { Reading } from "./reading.js";

const form = document.getElementById("round");
const match = JSON.parse(form.dataset.match);
const kind = form.dataset.kind;
const remi = match.game === "remi";
const number = form.dataset.number;
const players = match.players;
const builders = {};
let key = form.elements.key.value, expected = match.version, mineNow = false, over = false, busy = false, timer = 0, turn = 0;

function whole(text) { const value = text.trim().replace("−", "-"); return /^[+-]?\d+$/.test(value) ? Number(value) : null; }

function input() {
  const value = (name) => form.elements[name]?.value.trim() || null;
  return {
    mode: form.elements.mode.value,
    players: Object.fromEntries(players.map((p) => [p.id, {
      melds: (value(`${p.id}-melds`) ?? "").replaceAll("/", "\n").split("\n").map((row) => row.trim()).filter(Boolean),
      rack: value(`${p.id}-rack`) ?? "", points: whole(form.elements[`${p.id}-points`].value), extra: whole(form.elements[`${p.id}-extra`].value) ?? 0 }])),
    closer: value("closer"), closing_tile: value("closing_tile"), atu: value("atu"), announced_atu: value("announced_atu"),
    knocker: value("knocker"), winner: value("winner"),
    missed: [...form.querySelectorAll("[name=missed]:checked")].map((box) => box.value),
    rummy: Boolean(form.elements.rummy?.checked), double: Boolean(form.elements.double?.checked), source: form.elements.source.value };
}

function fill(draft) {
  if (!draft?.players) return;
  for (const radio of form.querySelectorAll("[name=mode]")) radio.checked = radio.value === draft.mode;
  for (const player of players) {
    const one = draft.players[player.id];
    if (!one) continue;
    if (form.elements[`${player.id}-melds`]) form.elements[`${player.id}-melds`].value = one.melds.join("\n");
    form.elements[`${player.id}-rack`].value = one.rack;
    form.elements[`${player.id}-points`].value = one.points ?? "";
    form.elements[`${player.id}-extra`].value = one.extra || "";
  }
  for (const name of ["closer", "closing_tile", "atu", "announced_atu", "knocker", "winner"]) if (form.elements[name]) form.elements[name].value = draft[name] ?? "";
  for (const box of form.querySelectorAll("[name=missed]")) box.checked = draft.missed?.includes(box.value) ?? false;
  if (form.elements.double) form.elements.double.checked = Boolean(draft.double);
  if (form.elements.rummy) form.elements.rummy.checked = Boolean(draft.rummy);
  for (const built of Object.values(builders)) built.draw();
}

const preview = document.getElementById("preview");
const nothing = (round) => round.mode === "pieces"
  ? Object.values(round.players).every((one) => !one.melds.length && !one.rack && !one.extra) && !round.missed.length
  : Object.values(round.players).some((one) => one.points === null);

async function count() {
  const round = input(), mine = ++turn;
  const confirm = document.getElementById("confirm");
  if (nothing(round)) { preview.replaceChildren(); for (const place of form.querySelectorAll("[data-preview]")) place.replaceChildren(); return; }
  try {
    const found = await ask(`/api/matches/${match.id}/preview`, "POST", { round });
    if (mine !== turn) return;
    for (const entry of found.entries) {
      form.querySelector(`[data-preview="${entry.player}"]`).replaceChildren(make("span", { class: `number total ${entry.points < 0 ? "minus" : ""}`, "data-total": entry.player }, signed(entry.points)), linesOf(entry));
    }
    preview.replaceChildren(...found.warnings.map((warning) => make("p", { class: "warning" }, ...parts(warning))),
      make("div", { class: "entries" }, ...found.entries.map((entry) => make("p", { class: "entry" }, make("strong", {}, players.find((p) => p.id === entry.player).name), ` `, make("span", { class: "number" }, signed(entry.points))))));
    confirm.classList.remove("doubt");
  } catch (error) {
    if (mine === turn) preview.replaceChildren(make("p", { class: "fault", role: "alert" }, error.message));
  }
}

// One scorer at a time: the claim goes with the first thing typed, and carries the draft.
const held = document.getElementById("held");
function heldBy(name, draft) {
  mineNow = false;
  held.hidden = false;
  document.getElementById("held-words").textContent = say("scoring", { name });
  if (draft) { fill(draft); count(); }
}
async function claim() {
  if (number || !held.hidden) return;
  try { await ask(`/api/matches/${match.id}/claim`, "PUT", { draft: input(), take_over: over }); mineNow = true; over = false; } catch (error) {
    if (error.code === "CLAIMED") heldBy(error.detail.name, error.detail.draft);
  }
}
document.getElementById("take-over").addEventListener("click", async () => {
  held.hidden = true;
  over = true;
  try {
    const got = await ask(`/api/matches/${match.id}/claim`, "PUT", { take_over: true });
    mineNow = true; over = false;
    if (got.draft) fill(got.draft);
    const fresh = await ask(`/api/matches/${match.id}`);
    expected = fresh.version;
    count();
  } catch (error) { toast(error.message); }
});
addEventListener("pagehide", () => { if (mineNow && !busy) fetch(`/api/matches/${match.id}/claim`, { method: "DELETE", keepalive: true }); });

function changed() { clearTimeout(timer); timer = setTimeout(() => { count(); claim(); }, 250); }
form.addEventListener("input", changed);
form.addEventListener("change", changed);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (busy) return;
  busy = true;
  const button = document.getElementById("confirm");
  button.disabled = true;
  const url = `/api/matches/${match.id}/rounds${number ? `/${number}` : ""}`;
  try {
    await ask(url, number ? "PUT" : "POST", { key, expected, round: input(), take_over: over });
    location.assign(`/matches/${match.id}`);
  } catch (error) {
    busy = false;
    button.disabled = false;
    if (error.code === "CLAIMED") heldBy(error.detail.name, error.detail.draft);
    else if (error.code === "CONFLICT") {
      expected = error.detail.found;
      key = newKey();
      preview.prepend(make("p", { class: "warning", role: "alert" }, say("update"), " ", make("a", { href: `/matches/${match.id}` }, "→")));
    } else if (error.status) { preview.prepend(make("p", { class: "fault", role: "alert" }, error.message)); preview.scrollIntoView(); } else toast(error.message);
  }
});

// Builders and photos.
const isOwn = (id) => players.map((p) => ({ id: p.id, name: p.name, own: p.id === id }));
for (const player of players) {
  const place = form.querySelector(`[data-builder="${player.id}"]`);
  const card = form.querySelector(`[data-player="${player.id}"]`);
  const meldsPlace = make("div"), rackPlace = make("div"), reading = make("div");
  place.append(meldsPlace, rackPlace);
  const melds = form.elements[`${player.id}-melds`], rack = form.elements[`${player.id}-rack`];
  const labelOf = (field) => document.querySelector(`label[for="${field.id}"]`).textContent;
  if (melds) builders[`${player.id}-melds`] = builder(meldsPlace, melds, { kind, many: true, label: labelOf(melds).split(",")[0], options: { players: isOwn(player.id) }, changed });
  builders[`${player.id}-rack`] = builder(rackPlace, rack, { kind, many: false, label: labelOf(rack), changed });
  const take = make("input", { type: "file", accept: "image/*", capture: "environment", "data-photo": player.id });
  take.addEventListener("change", () => { if (take.files[0]) readFor(player, take.files[0], reading); take.value = ""; });
  place.before(make("p", { class: "buttons" }, make("label", { class: "button photo" }, take, make("span", {}, `◎ ${say("photo_of", { name: player.name })}`))), reading);
  card.dataset.ready = "1";
}
for (const field of form.querySelectorAll("[data-one]")) {
  const shown = make("span", { class: "pieces" });
  const drawOne = () => shown.replaceChildren(field.value ? piece(field.value, "button", { "aria-label": field.value, onclick: pick }) : make("button", { type: "button", class: "adder", "aria-label": document.querySelector(`label[for="${field.id}"]`).textContent, onclick: pick }, "+"));
  async function pick() { const [code] = await compose(document.querySelector(`label[for="${field.id}"]`).textContent, kind, field.value ? [field.value] : [], { one: true }); field.value = code ?? ""; drawOne(); changed(); }
  field.classList.add("has-builder");
  field.after(shown);
  builders[field.name] = { draw: drawOne };
  drawOne();
}

function put(name, rows, many) {
  const field = form.elements[name];
  if (!field) return;
  const before = many ? field.value.trim() : field.value.trim();
  field.value = [before, ...rows].filter(Boolean).join(many ? "\n" : " ");
  builders[name].draw();
}
const codes = (view, list) => list.map((n) => view.codeOf(n)).join(" ");

/** A photo of one player's melds and rack. */
function readFor(player, file, place) {
  const view = new Reading(place, { game: match.game, match: match.id, as: remi ? "table" : "rack" }, kind, {
    actions: (table, mine) => [make("div", { class: "buttons" }, make("button", { type: "button", class: "main", "data-use": player.id, onclick: () => {
      form.elements.source.value = "photo";
      if (remi) put(`${player.id}-melds`, table.melds.map((meld) => codes(mine, meld.pieces)), true);
      put(`${player.id}-rack`, [codes(mine, [...table.rack, ...table.loose, ...(remi ? [] : table.melds.flatMap((meld) => meld.pieces))])], false);
      place.replaceChildren();
      changed();
    } }, say("use")))] });
  view.photo(file);
}

/** One photo of the whole table: every row goes to somebody. */
const all = document.getElementById("whole-table");
all.hidden = false;
const wholePlace = make("div");
all.after(wholePlace);
all.querySelector("input").addEventListener("change", (event) => {
  const file = event.target.files[0];
  event.target.value = "";
  if (!file) return;
  const view = new Reading(wholePlace, { game: match.game, match: match.id, as: "round" }, kind, {
    actions: (table, mine) => {
      const rows = [...table.melds.map((meld, n) => ({ list: meld.pieces, word: say("meld", { number: n + 1 }), meld: true, owner: meld.owner })),
        ...(table.players ?? []).filter((one) => one.rack.length).map((one) => ({ list: one.rack, word: say("rack"), meld: false, owner: one.name }))];
      return [...rows.map((row) => make("div", { class: "meld" }, make("span", {}, row.word), make("span", { class: "pieces" }, ...row.list.map((n) => piece(mine.codeOf(n)))),
        make("div", { class: "assign" }, ...players.map((player) => make("button", { type: "button", class: `small ${row.owner === player.name ? "main" : ""}`, "aria-pressed": String(row.owner === player.name),
          onclick: () => mine.edit({ do: "give", pieces: row.list, player: player.name }) }, player.name))))),
      make("div", { class: "buttons" }, make("button", { type: "button", class: "main", "data-use": "all", onclick: () => {
        form.elements.source.value = "photo";
        for (const row of rows) {
          const owner = players.find((player) => player.name === row.owner);
          if (owner) put(`${owner.id}-${row.meld && remi ? "melds" : "rack"}`, [codes(mine, row.list)], row.meld && remi);
        }
        const closer = players.find((player) => player.name === table.likely_closer);
        if (closer && form.elements.closer && !form.elements.closer.value) form.elements.closer.value = closer.id;
        wholePlace.replaceChildren();
        changed();
      } }, say("use")))];
    } });
  view.photo(file);
});
if (!held.hidden) ask(`/api/matches/${match.id}/claim`, "PUT", {}).catch((error) => { if (error.code === "CLAIMED" && error.detail.draft) { fill(error.detail.draft); count(); } });
count();
