import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { type Rows, rowsOf } from '../../output/result.ts';

/** Whether an object is not in line. */
export const isChange = (object: Value): boolean => textOf(object, 'action') !== 'leave';

/** The objects of a plan. Those of a plan of all destinations name theirs. */
export function planTable(objects: readonly Value[]): Rows {
  const isAll = objects.some((object) => textOf(object, 'destination', 'type') !== '');
  const rows = objects.map((object) => ({
    ...(isAll ? { destination: destinationOf(object) } : {}),
    action: textOf(object, 'action'),
    secret: secretOf(object),
    key: textOf(object, 'sub_key'),
    external_name: textOf(object, 'external_name'),
    reason: reasonOf(object),
    looked: memberOf(object, 'looked') ?? null,
  }));
  const columns = {
    ...(isAll ? { destination: 'destination' } : {}),
    action: 'action',
    secret: 'secret',
    key: 'key',
    external_name: 'name at the destination',
    reason: 'reason',
  };
  return rowsOf(columns, rows, { looked: 'looked at' });
}

/** An object of a plan in one line. */
export function planLine(object: Value): string {
  const at = destinationOf(object);
  const what = textOf(object, 'external_name') || secretOf(object);
  return `${textOf(object, 'action')} ${what}${at === '' ? '' : ` at ${at}`} (${reasonOf(object)})`;
}

const secretOf = (object: Value): string => `${textOf(object, 'mount')}/${textOf(object, 'secret_name')}`;

const reasonOf = (object: Value): string => textOf(object, 'error', 'message') || textOf(object, 'reason');

function destinationOf(object: Value): string {
  const type = textOf(object, 'destination', 'type');
  return type === '' ? '' : `${type}/${textOf(object, 'destination', 'name')}`;
}
