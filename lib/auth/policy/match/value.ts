import { isRawNumber } from '#core/json/json.ts';
import { LongText } from '#core/json/long-text.ts';
import type { ParameterValue } from '../rule.ts';

/** Whether a value of a rule matches one of a request, either literally or as the operation would parse it. */
export function matches(rule: ParameterValue, value: unknown, read: (value: unknown) => unknown): boolean {
  if (value === undefined) return false;
  return isEqual(rule, value) || isEqual(single(read(rule)), value);
}

/** The elements of a value: the items of a list, the parts of a text between commas, or the pairs of a map. */
export function elementsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return value.includes(',') ? parts(value) : [value.trim()];
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return [];
  return Object.entries(value).map(([key, one]) => `${key}=${textOf(one)}`);
}

const parts = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const textOf = (value: unknown): string => {
  const one = plain(value);
  return typeof one === 'object' ? '' : String(one);
};

/** A list of one element equals that element, since a list field parses a single value as a list. */
const single = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);

function isEqual(rule: unknown, value: unknown): boolean {
  if (rule === undefined) return false;
  const one = plain(value);
  if (typeof rule === 'string') return typeof one === 'string' && matchesGlob(rule, one);
  if (!Array.isArray(rule)) return rule === one && typeof rule !== 'object';
  return Array.isArray(one) && one.length === rule.length && rule.every((part, index) => isEqual(part, one[index]));
}

/** A number that was kept as text compares by its value. */
function plain(value: unknown): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON);
  return value instanceof LongText ? value.toJSON() : value;
}

/** Supports `*` at the start, at the end, or both. */
function matchesGlob(glob: string, value: string): boolean {
  const open = glob.startsWith('*');
  const end = glob.endsWith('*') && glob.length > 1;
  const text = glob.slice(open ? 1 : 0, end ? -1 : undefined);
  if (open && end) return value.includes(text);
  if (open) return value.endsWith(text);
  return end ? value.startsWith(text) : value === glob;
}
