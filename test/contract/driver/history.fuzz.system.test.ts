import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DestinationDefinition, DestinationFailure, type PutItem } from '#destinations/contract.ts';
import type { Fault } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';
import { calm, newMark, type Stand, standFor } from '../support/stand.ts';

/** A fault during a verb: its call of this number (from 0) fails. */
type Trouble = Pick<Fault, 'kind' | 'after'>;
type Step =
  | { readonly put: string; readonly tags: Readonly<Record<string, string>>; readonly trouble: Trouble | undefined }
  | { readonly remove: true; readonly trouble: Trouble | undefined };

const trouble: fc.Arbitrary<Trouble | undefined> = fc.option(
  fc.record({
    // The fault that leaves a change behind is the most frequent.
    kind: fc.constantFrom<Fault['kind']>(
      'lost-answer',
      'lost-answer',
      'lost-answer',
      'reset',
      'unavailable',
      'throttle',
    ),
    after: fc.constantFrom(0, 0, 1, 2, 3),
  }),
  { nil: undefined, freq: 4 },
);
const tags = fc.constantFrom({}, {}, { ta: 'v1' }, { ta: 'v2' }, { ta: 'v1', tb: 'v1' });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ put: fc.constantFrom('first', 'second'), tags, trouble }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.constant(true as const), trouble }) },
);

describe.each(definitions)('an object at $type, whatever calls fail', (definition) => {
  const stand = standFor(definition);

  test('ends with its value and tags, and can be removed', fuzzing, async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 5 }), step, async (history, last) => {
      const object = new Remembered(stand, definition);
      for (const one of history) await object.run(one);
      const { put: value = 'last', tags: wanted = {} } = 'put' in last ? last : {};
      expect(await object.run({ put: value, tags: wanted, trouble: undefined })).toBe('done');
      expect(stand.object(object.name)).toEqual({ value, tags: object.allTags(wanted) });
      expect(await object.run({ remove: true, trouble: undefined })).toBe('done');
      expect(stand.object(object.name)).toBeUndefined();
    });
    await fc.assert(property, runs(40));
  });
});

/** An object as the sync records it: the intended and the known state. */
class Remembered {
  readonly name: string;
  readonly #stand: Stand;
  readonly #definition: DestinationDefinition;
  readonly #mark = newMark();
  #intendedAt: Date | undefined;
  #written = false;
  #remoteVersion: string | null = null;
  #tagKeys: readonly string[] = [];
  /** The tags of the last put, unless a verb has failed since. */
  #certain: string | undefined;
  #lives = 0;

  constructor(stand: Stand, definition: DestinationDefinition) {
    this.#stand = stand;
    this.#definition = definition;
    this.name = stand.name();
  }

  allTags(custom: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const rule = this.#definition.tags;
    return rule === undefined ? {} : { ...rule.normalise(custom), ...rule.builtIn(this.#mark) };
  }

  async run(step: Step): Promise<'done' | 'failed'> {
    if (step.trouble !== undefined) this.#stand.fake.fail({ ...step.trouble, times: 1 });
    try {
      await ('put' in step ? this.#put(step.put, step.tags) : this.#remove());
      return 'done';
    } catch (error) {
      if (!(error instanceof DestinationFailure) || step.trouble === undefined) throw error;
      expect(['network', 'timeout', 'unavailable', 'throttled']).toContain(error.kind);
      return 'failed';
    } finally {
      this.#stand.fake.heal();
    }
  }

  async #put(value: string, custom: Readonly<Record<string, string>>): Promise<void> {
    const wanted = this.allTags(custom);
    const keys = Object.keys(this.#definition.tags?.normalise(custom) ?? {});
    const asRecorded = this.#written ? this.#certain === JSON.stringify(wanted) : this.#intendedAt === undefined;
    this.#certain = undefined;
    this.#intendedAt ??= new Date();
    const before = this.#tagKeys;
    this.#tagKeys = [...new Set([...before, ...keys])];
    const changes: Partial<PutItem> = {
      mark: this.#mark,
      mode: this.#written ? 'update' : 'create',
      tags: wanted,
      staleTags: before.filter((key) => !keys.includes(key)),
      intendedAt: this.#intendedAt,
      intent: `${this.#lives}`,
      remoteVersion: this.#remoteVersion,
      asRecorded,
    };
    const { remoteVersion } = await this.#stand.open().put(this.#stand.item(this.name, value, changes), calm);
    this.#written = true;
    this.#remoteVersion = remoteVersion;
    this.#tagKeys = keys;
    this.#certain = JSON.stringify(wanted);
  }

  async #remove(): Promise<void> {
    if (this.#intendedAt === undefined) return;
    const asRecorded = this.#certain !== undefined;
    this.#certain = undefined;
    const removal = { name: this.name, mark: this.#mark, remoteVersion: this.#remoteVersion, asRecorded };
    await this.#stand.open().remove(removal, calm);
    this.#intendedAt = undefined;
    this.#written = false;
    this.#remoteVersion = null;
    this.#tagKeys = [];
    this.#lives += 1;
  }
}
