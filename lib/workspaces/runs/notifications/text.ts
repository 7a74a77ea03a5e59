/** A payload for people: a line for each of its texts, with those of what happened. */
export const textOf = (payload: object): string =>
  linesOf({ ...payload, ...happened(payload) })
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** One line of it, such as `web-production: run:errored`. */
export function titleOf(payload: object): string {
  const { workspace_name: workspace, trigger } = Object.fromEntries(linesOf({ ...payload, ...happened(payload) }));
  return [workspace ?? 'Keyferry', trigger ?? 'notification'].join(': ');
}

const linesOf = (payload: object): readonly (readonly [string, string])[] =>
  Object.entries(payload).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));

function happened(payload: object): object {
  const [first]: readonly unknown[] =
    'notifications' in payload && Array.isArray(payload.notifications) ? payload.notifications : [];
  return typeof first === 'object' && first !== null ? first : {};
}
