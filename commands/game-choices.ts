import type { Choice } from '../src/discord/command.ts';
import type { Game } from '../src/listing/contract.ts';

/** Games as autocomplete choices: people read the name, the alias is what is filled in. */
export function gameChoices(games: readonly Game[]): readonly Choice[] {
  return games.map(({ name, alias }) => ({
    name: name === alias ? name : `${name} (${alias})`,
    value: alias,
  }));
}
