// New match: as many places as the game has players, only its own switches, presets shown in them.
import "./common.js";

const form = document.getElementById("new-match");
const games = JSON.parse(form.dataset.games);

function show() {
  const game = games.find((one) => one.name === form.elements.game.value);
  const preset = game.presets.find((one) => one.name === form.elements.preset.value);
  for (const row of form.querySelectorAll(".player-row")) row.hidden = Number(row.dataset.place) >= game.players[1];
  for (const block of form.querySelectorAll("[data-game]")) {
    block.hidden = block.dataset.game !== game.name;
    for (const field of block.querySelectorAll("[data-switch]")) field.disabled = block.hidden;
  }
  for (const field of form.querySelectorAll(`[data-game="${game.name}"] select`)) {
    const rule = game.switches.find((one) => one.name === field.dataset.switch);
    const choice = rule.choices.find((one) => one.value === preset.values[rule.name]);
    if (field.options[0].dataset.word === undefined) field.options[0].dataset.word = field.options[0].textContent;
    field.options[0].textContent = `${choice.word} (${field.options[0].dataset.word})`;
  }
}

form.addEventListener("change", (event) => {
  if (event.target.name === "preset") for (const field of form.querySelectorAll("select[data-switch]")) field.value = "";
  show();
});
show();
