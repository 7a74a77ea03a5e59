import { describe, expect, it } from 'vitest';
import { LinkedSet } from '#core/concurrency/linked-set.ts';

describe('a linked set', () => {
  it('lists its values in the order in which they were added', () => {
    const set = new LinkedSet<string>();
    for (const value of ['first', 'second', 'third']) set.add(value);
    expect([...set]).toEqual(['first', 'second', 'third']);
  });

  it('deletes any entry, and is empty when all are deleted', () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [1, 2, 0],
    ]) {
      const set = new LinkedSet<number>();
      const entries = [0, 1, 2].map((value) => set.add(value));
      const left = new Set([0, 1, 2]);
      for (const index of order) {
        const entry = entries[index];
        if (entry !== undefined) set.delete(entry);
        left.delete(index);
        expect([...set]).toEqual([...left]);
        expect(set.isEmpty).toBe(left.size === 0);
      }
    }
  });

  it('accepts values after all were deleted', () => {
    const set = new LinkedSet<string>();
    set.delete(set.add('first'));
    set.add('second');
    expect([...set]).toEqual(['second']);
  });

  it('ignores a second deletion of an entry', () => {
    const set = new LinkedSet<string>();
    const [first, second] = [set.add('first'), set.add('second')];
    set.add('third');
    for (const entry of [first, first, second, second]) set.delete(entry);
    expect([...set]).toEqual(['third']);
  });

  it('allows the current entry to be deleted during an iteration', () => {
    const set = new LinkedSet<string>();
    const entries = ['first', 'second', 'third'].map((value) => set.add(value));
    const seen: string[] = [];
    for (const value of set) {
      seen.push(value);
      const entry = entries.shift();
      if (entry !== undefined) set.delete(entry);
    }
    expect(seen).toEqual(['first', 'second', 'third']);
  });

  it('keeps no reference to a deleted entry', () => {
    const set = new LinkedSet<string>();
    const [first, second] = [set.add('first'), set.add('second')];
    set.delete(first);
    expect(first).toEqual({ value: 'first', previous: undefined, next: undefined });
    expect(second.previous).toBeUndefined();
  });
});
