/** A payload as readable text: one line for each of its strings and for those of its first event. */
export const textOf = (payload: object): string =>
  linesOf(payload)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** A subject line, such as `web-production: run:errored`. */
export function titleOf(payload: object): string {
  const { workspace_name: workspace, trigger } = Object.fromEntries(linesOf(payload));
  return [workspace ?? 'Keyferry', trigger ?? 'notification'].join(': ');
}

/** The names and values of these strings. */
export const linesOf = (payload: object): readonly (readonly [string, string])[] =>
  Object.entries({ ...payload, ...eventOf(payload) }).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );

function eventOf(payload: object): object {
  const [first]: readonly unknown[] =
    'notifications' in payload && Array.isArray(payload.notifications) ? payload.notifications : [];
  if (typeof first === 'object' && first !== null) return first;
  // Messages about a workspace name it in their details.
  return 'details' in payload && typeof payload.details === 'object' && payload.details !== null ? payload.details : {};
}
