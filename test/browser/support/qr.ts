import type { Page } from 'playwright-core';

/** The text of the QR code on the only canvas of a page, read from its pixels as a camera does. @throws Error when it shows none */
export async function readCode(page: Page): Promise<string> {
  return textOf(modulesOf(await page.evaluate<readonly string[]>(pixels)));
}

/** The rows of the canvas, with 1 for a dark pixel. */
const pixels = `(() => {
  const canvas = document.querySelector('canvas');
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => (data[(y * width + x) * 4] < 128 ? '1' : '0')).join(''),
  );
})()`;

/** Whether the module in a column and row is dark. */
type Modules = (x: number, y: number) => boolean;

interface Code {
  readonly size: number;
  readonly isDark: Modules;
}

/**
 * The modules of a picture. The first dark run of its first row is the side of a finder pattern, which has seven of them; modules may have
 * a fraction of a pixel, so the nearest size that a code can have is taken.
 */
function modulesOf(rows: readonly string[]): Code {
  const top = rows.findIndex((row) => row.includes('1'));
  const first = rows[top] ?? '';
  const left = first.indexOf('1');
  const width = first.lastIndexOf('1') + 1 - left;
  const finder = /^1+/.exec(first.slice(left))?.[0].length ?? 0;
  const size = 17 + 4 * Math.round(((width * 7) / finder - 17) / 4);
  if (!Number.isFinite(size) || size < 21) throw new Error('the picture shows no QR code');
  const middle = (at: number) => Math.floor(((at + 0.5) * width) / size);
  return { size, isDark: (x, y) => rows[top + middle(y)]?.[left + middle(x)] === '1' };
}

/** By version from 1, for the correction level M: codewords of each block that correct, and the number of blocks. */
const correcting = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28];
const blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10];
const levelM = 0;

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** ISO/IEC 18004, without the correction of errors: a picture on a screen has none. */
function textOf({ size, isDark }: Code): string {
  const version = (size - 17) / 4;
  const [level, mask] = formatOf(isDark);
  const masked = masks[mask];
  if (level !== levelM || blocks[version - 1] === undefined || masked === undefined)
    throw new Error(`a QR code of version ${version} and level ${level} is not read`);
  const bits = zigzag(size, version).map(([x, y]) => isDark(x, y) !== masked(x, y));
  const codewords = Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((sum, bit) => sum * 2 + (bit ? 1 : 0), 0),
  );
  return segments(dataOf(codewords, version), version);
}

/** Level and mask, from the bits beside the first finder pattern. */
function formatOf(isDark: Modules): readonly [level: number, mask: number] {
  const places = [
    ...[0, 1, 2, 3, 4, 5, 7, 8].map((y) => [8, y] as const),
    [7, 8] as const,
    ...[5, 4, 3, 2, 1, 0].map((x) => [x, 8] as const),
  ];
  const bits = places.reduce((sum, [x, y], at) => sum + (isDark(x, y) ? 2 ** at : 0), 0);
  const data = (bits ^ 0x5412) >> 10;
  return [data >> 3, data & 7];
}

/** The modules with data, in their order: upwards and downwards by columns of two, from the right. */
function zigzag(size: number, version: number): readonly (readonly [x: number, y: number])[] {
  const isFixed = fixedOf(size, version);
  const places: (readonly [number, number])[] = [];
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (!isFixed(x, y)) places.push([x, y]);
      }
  }
  return places;
}

/** Finder, timing and alignment patterns, format and version. */
function fixedOf(size: number, version: number): Modules {
  const far = size - 8;
  const aligned = alignmentsOf(size, version);
  const isAligned = (x: number, y: number) =>
    aligned.some((cx) =>
      aligned.some(
        (cy) =>
          Math.abs(x - cx) <= 2 &&
          Math.abs(y - cy) <= 2 &&
          !((cx === 6 && (cy === 6 || cy === size - 7)) || (cx === size - 7 && cy === 6)),
      ),
    );
  return (x, y) =>
    (x < 9 && y < 9) ||
    (x >= far && y < 9) ||
    (x < 9 && y >= far) ||
    x === 6 ||
    y === 6 ||
    isAligned(x, y) ||
    (version >= 7 && ((x >= size - 11 && y < 6) || (y >= size - 11 && x < 6)));
}

function alignmentsOf(size: number, version: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - at * step)];
}

/** The codewords with data, which are spread over the blocks. */
function dataOf(codewords: readonly number[], version: number): readonly number[] {
  const [count, each] = [blocks[version - 1] ?? 1, correcting[version - 1] ?? 0];
  const short = Math.floor(codewords.length / count) - each;
  const shorts = count - (codewords.length % count);
  const found = Array.from({ length: count }, (): number[] => []);
  let at = 0;
  for (let row = 0; row <= short; row += 1)
    for (const [block, data] of found.entries()) {
      if (row === short && block < shorts) continue;
      data.push(codewords[at] ?? 0);
      at += 1;
    }
  return found.flat();
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

/** The segments of digits, of letters and of bytes, one behind the other. */
function segments(data: readonly number[], version: number): string {
  const bits = data.map((one) => one.toString(2).padStart(8, '0')).join('');
  let at = 0;
  const take = (length: number): number => {
    at += length;
    return Number.parseInt(bits.slice(at - length, at) || '0', 2);
  };
  const large = version > 9;
  const bytes: number[] = [];
  const add = (text: string) => bytes.push(...Buffer.from(text));
  for (let mode = take(4); mode !== 0 && at < bits.length; mode = take(4)) {
    if (mode === 4) for (let left = take(large ? 16 : 8); left > 0; left -= 1) bytes.push(take(8));
    else if (mode === 2)
      for (let left = take(large ? 11 : 9); left > 0; left -= 2) {
        const pair = left > 1 ? take(11) : take(6);
        add(left > 1 ? `${letters[Math.floor(pair / 45)]}${letters[pair % 45]}` : (letters[pair] ?? ''));
      }
    else if (mode === 1)
      for (let left = take(large ? 12 : 10); left > 0; left -= 3) {
        const digits = Math.min(left, 3);
        add(String(take(digits === 3 ? 10 : digits === 2 ? 7 : 4)).padStart(digits, '0'));
      }
    else throw new Error(`a segment of the mode ${mode} is not read`);
  }
  return Buffer.from(bytes).toString();
}
