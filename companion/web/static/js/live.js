// The live page: a stream of states, polling where there is none, a chart, a screen that stays awake.
import { ask, linesOf, make, plain, say, signed, toast } from "./common.js";

const place = document.getElementById("live");
let state = JSON.parse(place.dataset.state);
let source = null, poll = 0, chart = null, heard = Date.now();

const big = document.body.classList.contains("big");
const nameOf = (id) => state.players.find((player) => player.id === id)?.name ?? "";

function draw(before) {
  document.getElementById("claim").textContent = state.claim ? say("scoring", state.claim) : "";
  const strongs = document.querySelectorAll("#next strong");
  if (state.over !== before?.over && before) { location.reload(); return; }
  if (strongs.length === 2) [strongs[0].textContent, strongs[1].textContent] = [nameOf(state.dealer), nameOf(state.starter)];
  const old = before?.totals ?? {};
  document.getElementById("podium").replaceChildren(...state.standings.map((s) => {
    const leads = s.rank === 1 && state.leaders.length;
    return make("li", { class: `${leads ? "leads" : ""} ${s.player in old && old[s.player] !== s.total ? "moved" : ""}`, "data-player": s.player },
      make("span", { class: "who" }, nameOf(s.player)),
      make("span", { class: "number score" }, plain(s.final)),
      make("span", { class: "tag" }, leads ? say(state.over ? "won" : "leads") : ""),
      make("span", { class: "bonuses" }, ...s.bonuses.map((line) => make("span", {}, `${signed(line.points)} ${line.text}`))));
  }));
  document.querySelector("#rounds tbody").replaceChildren(...[...state.rounds].reverse().map((round) => make("tr", { class: round.undone ? "undone" : "" },
    make("th", { scope: "row" }, String(round.number), round.undone ? make("small", {}, ` ${say("undone")}`) : null),
    ...state.players.map((p) => make("td", { class: `number ${round.points[p.id] < 0 ? "minus" : ""}` }, signed(round.points[p.id]))))));
  const heads = document.querySelectorAll("#rounds thead th");
  state.players.forEach((player, n) => { heads[n + 1].textContent = player.name; });
  const last = state.rounds.filter((round) => !round.undone).at(-1);
  if (last) {
    document.getElementById("last").replaceChildren(make("div", { class: "entries" }, ...last.entries.map((entry) => make("section", { class: "entry" },
      make("h4", {}, make("span", {}, nameOf(entry.player)), make("span", { class: `number total ${entry.points < 0 ? "minus" : ""}` }, signed(entry.points))),
      linesOf(entry)))));
  }
  drawChart();
}

function drawChart() {
  const holder = document.getElementById("chart");
  const counted = state.rounds.filter((round) => !round.undone);
  holder.hidden = counted.length === 0;
  if (!counted.length || !window.uPlot) return;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const inks = dark ? ["#7fd3b1", "#ffb38a", "#9ec1ff", "#f4d98c", "#e4a6f2", "#cccccc"] : ["#14624a", "#b3401e", "#1d4f9c", "#8a6100", "#7a2a8a", "#444444"];
  const dashes = [[], [8, 4], [2, 4], [12, 4, 2, 4], [4, 4], [16, 6]];
  const sums = state.players.map((player) => { let sum = 0; return [0, ...counted.map((round) => (sum += round.points[player.id]))]; });
  const data = [[0, ...counted.map((_, n) => n + 1)], ...sums];
  const axis = { stroke: dark ? "#b3bab0" : "#5d6157", grid: { stroke: dark ? "#37463f" : "#d9d0bd", width: 1 }, font: `${big ? Math.max(16, Math.round(innerWidth / 80)) : 14}px system-ui` };
  const size = { width: Math.max(200, holder.clientWidth), height: Math.max(220, Math.min(420, innerHeight * 0.36)) };
  const series = [{ label: say("round", { number: "" }).trim() }, ...state.players.map((player, n) => ({
    label: player.name, stroke: inks[n], width: 3, dash: dashes[n], points: { show: true, size: 7, fill: inks[n] } }))];
  chart?.destroy();
  chart = new window.uPlot({ ...size, series, scales: { x: { time: false } }, legend: { live: false },
    cursor: { show: false }, axes: [{ ...axis, size: big ? 64 : 50, incrs: [1, 2, 5, 10, 20] }, { ...axis, size: big ? 92 : 56, values: (_, ticks) => ticks.map(plain) }] }, data, holder);
}

function take(fresh) {
  heard = Date.now();
  if (fresh.gone) { location.assign("/"); return; }
  const before = state;
  state = fresh;
  draw(before);
}

function listen() {
  source?.close();
  source = new EventSource(place.dataset.events);
  source.onmessage = (event) => { stopPolling(); take(JSON.parse(event.data)); toast(""); };
  source.onopen = () => { heard = Date.now(); stopPolling(); };
  source.onerror = () => { if (source.readyState === EventSource.CLOSED) { startPolling(); setTimeout(listen, 15000); } else toast(say("offline"), 0); };
}
async function look() { try { take(await ask(place.dataset.poll)); toast(""); } catch { toast(say("offline"), 0); } }
function startPolling() { if (!poll) poll = setInterval(look, 3000); }
function stopPolling() { clearInterval(poll); poll = 0; }

// A phone that slept may hold a dead stream: look at once, then listen anew.
document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible" && Date.now() - heard > 5000) { look(); listen(); } if (wanted) hold(); });
addEventListener("online", () => { look(); listen(); });
addEventListener("pageshow", (event) => { if (event.persisted) { look(); listen(); } });
addEventListener("pagehide", () => source?.close());
addEventListener("resize", () => { clearTimeout(drawChart.timer); drawChart.timer = setTimeout(drawChart, 150); });

let wanted = false, lock = null;
async function hold() {
  try { lock = await navigator.wakeLock.request("screen"); } catch { lock = null; }
  const button = document.getElementById("wake");
  button.setAttribute("aria-pressed", String(Boolean(lock)));
}
if ("wakeLock" in navigator) {
  const button = document.getElementById("wake");
  button.hidden = false;
  button.addEventListener("click", async () => {
    wanted = !wanted;
    if (wanted) { await hold(); if (lock) toast(say("awake")); } else { await lock?.release(); button.setAttribute("aria-pressed", "false"); }
  });
  if (big) { wanted = true; hold(); }
}
drawChart();
listen();
