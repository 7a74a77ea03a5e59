import { textOf, type Value } from '#client/wire/json.ts';
import type { Look } from '../../parts/words.ts';

/** What a plan does with an object. */
export const planLooks: Readonly<Record<string, Look>> = {
  create: { word: 'Create', tone: 'ok', icon: 'plus' },
  update: { word: 'Update', tone: 'wait', icon: 'spin' },
  delete: { word: 'Delete', tone: 'fail', icon: 'minus' },
  refuse: { word: 'Refuse', tone: 'warn', icon: 'cross' },
  error: { word: 'Not looked at', tone: 'fail', icon: 'cloud' },
  leave: { word: 'Leave', tone: 'off', icon: 'check' },
};

export const planLook = (action: string): Look => planLooks[action] ?? { word: action, tone: 'off', icon: 'question' };

const changing: readonly string[] = ['create', 'update', 'delete'];

/** How many objects an apply changes. A secret with a refused object is left as it is, with all its objects. */
export function changesIn(objects: readonly Value[]): number {
  const refused = new Set(objects.filter((one) => textOf(one, 'action') === 'refuse').map((one) => textOf(one, 'id')));
  return objects.filter((one) => changing.includes(textOf(one, 'action')) && !refused.has(textOf(one, 'id'))).length;
}

const order = Object.keys(planLooks);

/** What is left as it is comes last. */
export const sortedByAction = (objects: readonly Value[]): readonly Value[] =>
  objects.toSorted((a, b) => order.indexOf(textOf(a, 'action')) - order.indexOf(textOf(b, 'action')));
