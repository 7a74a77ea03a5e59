import { AppError } from '#core/errors.ts';
import type { Driver, Listed, ListPage } from '#destinations/contract.ts';
import type { Store } from '#store/store.ts';
import { type Destination, type DriverParts, type DriverSettings, openWith } from '../../drivers/drivers.ts';
import { Pace, type Tally } from '../pace.ts';
import { withinTimes } from '../times.ts';
import type { Foreign, ForeignPlace } from './found.ts';
import { heldElsewhere, heldKey, holdingsOf } from './holdings.ts';
import { judgeListed, needsLook } from './judge.ts';

export interface ForeignQuestion extends DriverSettings {
  readonly destinationId: string;
  /** Of the names, normalised. Empty: all objects. */
  readonly prefix: string;
  readonly limit: number;
  readonly from: ForeignPlace;
}

export interface ForeignAnswer {
  readonly foreign: readonly Foreign[];
  /** Objects of the destination that were looked at, ours among them. */
  readonly listed: number;
  /** Undefined when the list is over. */
  readonly next: ForeignPlace | undefined;
}

/** Time in which pages may be asked for, and the deadlines of one connection and request; in milliseconds. */
const pagesMs = 4_000;
const deadlines = { connectMs: 2_000, requestMs: 2_500 };
/** Pages of one answer. */
const pagesMax = 50;
/** The share of the rate that the pages of one answer take at most. */
const share = 0.5;

/**
 * Lists the objects at the destination under a prefix that are not ours, by pages of its list: no value is read.
 * @throws DestinationFailure when the destination cannot be listed
 */
export async function foreignFor(
  destination: Destination,
  all: DriverParts,
  question: ForeignQuestion,
  tally: Tally,
  signal: AbortSignal,
): Promise<ForeignAnswer> {
  const driver = openWith(destination, withinTimes(all, deadlines), question);
  try {
    const lister = { destination, store: all.store, driver, question, signal, pace: paceOf(destination, tally) };
    const foreign: Foreign[] = [];
    let listed = 0;
    let place: ForeignPlace | undefined = question.from;
    for (let pages = 0; pages < pagesMax && (pages === 0 || (await lister.pace.turn(signal))); pages += 1) {
      const page = await pageAt(lister, place);
      const taken = await takeFrom(lister, page, place.skip, question.limit - foreign.length);
      foreign.push(...taken.foreign);
      listed += taken.looked;
      place = placeAfter(place, page, taken.looked);
      if (place === undefined || foreign.length === question.limit) break;
    }
    return { foreign, listed, next: place };
  } finally {
    await driver.close();
  }
}

const paceOf = ({ definition }: Destination, tally: Tally) => new Pace(definition.rate, share, pagesMs, tally);

interface Lister {
  readonly destination: Destination;
  readonly store: Store;
  readonly driver: Driver;
  readonly question: ForeignQuestion;
  readonly signal: AbortSignal;
  readonly pace: Pace;
}

async function pageAt({ driver, question, signal, pace }: Lister, place: ForeignPlace): Promise<ListPage> {
  pace.tally.calls += 1;
  const page = await driver.list?.({ prefix: question.prefix, after: place.page }, signal);
  if (page === undefined || page === 'unknown') throw cannotList();
  return page;
}

function placeAfter({ page: at, skip }: ForeignPlace, page: ListPage, looked: number): ForeignPlace | undefined {
  if (skip + looked < page.objects.length) return { page: at, skip: skip + looked };
  return page.after === null ? undefined : { page: page.after, skip: 0 };
}

/** The foreign objects of a page from a place on, up to a number. */
async function takeFrom(lister: Lister, { objects }: ListPage, skip: number, most: number) {
  const { store, question, destination } = lister;
  const { definition } = destination;
  const rest = objects.slice(skip);
  const keyOf = ({ name }: Listed) => definition.names.key(name);
  const held = await holdingsOf(store, question.destinationId, rest.map(keyOf));
  const marked = rest.flatMap((one) => {
    const isHere = held.get(keyOf(one))?.mark === one.mark;
    return one.mark === null || isHere ? [] : [{ nameKey: keyOf(one), mark: one.mark }];
  });
  const elsewhere = await heldElsewhere(store, definition.type, question.destinationId, marked);
  const foreign: Foreign[] = [];
  for (const [index, one] of rest.entries()) {
    if (foreign.length === most) return { foreign, looked: index };
    const here = held.get(keyOf(one));
    const isElsewhere = one.mark !== null && elsewhere.has(heldKey(keyOf(one), one.mark));
    const seen = needsLook(definition, one, here) ? await lookAt(lister, one) : one;
    if (seen === 'over') return { foreign, looked: index };
    const judged = judgeListed(definition, seen, here, isElsewhere);
    if (judged !== undefined) foreign.push(judged);
  }
  return { foreign, looked: rest.length };
}

/** The object with what a look shows of it. `'over'` when there is no time for one. */
async function lookAt({ destination, driver, signal, pace }: Lister, listed: Listed): Promise<Listed | 'over'> {
  if (!(await pace.turn(signal))) return 'over';
  pace.tally.calls += destination.definition.costs?.look ?? 1;
  const seen = await driver.inspect(listed.name, signal);
  return typeof seen === 'object' ? { ...listed, ...seen } : listed;
}

const cannotList = () =>
  new AppError(
    'upstream',
    'cannot list the destination: the credentials do not allow it; the page of the type in the documentation names the permission',
  );
