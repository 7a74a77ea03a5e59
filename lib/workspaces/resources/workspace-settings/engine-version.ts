/** Stands for the newest release at the time of a run. */
export const latest = 'latest';

/** The newest known major version. */
const majorMax = 1;

const operators = ['~>', '>=', '<=', '!=', '=', '>', '<'] as const;
const number = '(?:0|[1-9]\\d{0,2})';
const exact = new RegExp(`^(${number})\\.(${number})\\.${number}(?:-[0-9A-Za-z.-]{1,32})?$`);
const partial = new RegExp(`^(${number})(?:\\.(${number}))?(?:\\.${number}(?:-[0-9A-Za-z.-]{1,32})?)?$`);
const conditionsMax = 8;

/** Whether a version, `latest` or a constraint such as `~> 1.0.0, != 1.0.3` can match an existing release. */
export function isKnownVersion(text: string): boolean {
  if (text === latest) return true;
  const version = exact.exec(text);
  if (version !== null) return isReleased(version[1], version[2]);
  const conditions = text.split(',').map((one) => one.trim());
  return conditions.length <= conditionsMax && conditions.every(isCondition);
}

/** The first release was 0.1.0. */
function isReleased(major = '', minor = ''): boolean {
  return Number(major) <= majorMax && !(Number(major) === 0 && Number(minor) === 0);
}

function isCondition(text: string): boolean {
  const operator = operators.find((one) => text.startsWith(one)) ?? '';
  const version = partial.exec(text.slice(operator.length).trim());
  if (version === null) return false;
  // Upper bounds and exclusions may name versions that never exist.
  return ['<', '<=', '!='].includes(operator) || Number(version[1]) <= majorMax;
}
