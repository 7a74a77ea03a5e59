import { describe, expect, test } from 'vitest';
import { inDocument, noPlaces, type Places, placesAfter } from '#ui/table/places.ts';

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const rowsOf = (indexes: readonly number[]) => indexes.map((index) => ({ index }));
const shown = (indexes: readonly number[], places: Places) =>
  inDocument(rowsOf(indexes), places).map(({ index }) => index);

describe('the places of the rows of a table', () => {
  test('are kept by rows that stay, and taken over from those that went', () => {
    const first = placesAfter(noPlaces, range(0, 6), true);
    const next = placesAfter(first, range(4, 10), false);
    expect([4, 5].map((index) => next.of.get(index))).toEqual([4, 5].map((index) => first.of.get(index)));
    expect([...next.of.values()].toSorted()).toEqual(range(0, 6));
  });

  test('are not moved while the table scrolls, and are in the order of the rows afterwards', () => {
    const before = placesAfter(noPlaces, range(0, 4), true);
    const scrolled = placesAfter(before, range(2, 6), false);
    expect(scrolled.order).toEqual(before.order);
    expect(shown(range(2, 6), scrolled)).toEqual([4, 5, 2, 3]);
    const rested = placesAfter(scrolled, range(2, 6), true);
    expect(rested.of).toEqual(scrolled.of);
    expect(shown(range(2, 6), rested)).toEqual(range(2, 6));
    // The next scroll begins without a move.
    expect(placesAfter(rested, range(3, 7), false).order).toEqual(rested.order);
  });

  test('are never more than there are rows at a time, wherever the table is scrolled to', () => {
    let places = noPlaces;
    for (const from of [0, 500, 3, 90_000, 89_990]) {
      const indexes = [...(from > 7 ? [7] : []), ...range(from, from + 20)];
      places = placesAfter(places, indexes, false);
      expect(new Set(places.of.values()).size).toBe(indexes.length);
      expect(Math.max(...places.of.values())).toBeLessThan(21);
      expect(shown(indexes, places).toSorted((a, b) => a - b)).toEqual(indexes.toSorted((a, b) => a - b));
    }
  });
});
