import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageReply } from '#client/page.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import { reasonOf } from '../../parts/problem.tsx';
import type { Rights } from '../../state/rights.ts';
import { listIn } from '../../table/pages.ts';

/** What was planned so far. */
export interface Planned {
  readonly objects: readonly Value[];
  /** Empty after the last page. */
  readonly after: string;
  /** Of the kept plan; empty when it is not kept, and cannot be applied. */
  readonly planId: string;
}

/** Where a page of a plan begins, and to which kept plan it is added. */
export interface PlanPage {
  readonly after: string;
  readonly planId: string;
}

/** @param signal of the whole plan, which ends when the page is left */
export type AskPlan = (page: PlanPage, signal: AbortSignal) => Promise<PageReply>;

/** Objects that are planned before the page stops and asks whether to go on. */
const objectsMax = 2_000;

export interface Planning {
  readonly planned: Planned | undefined;
  readonly problem: string;
  readonly isBusy: boolean;
  begin(): Promise<void>;
  goOn(): Promise<void>;
}

/** Plans page by page. A worker looks at the destinations when it is asked to, and changes nothing. A plan that begins ends the one before. */
export function usePlan(ask: AskPlan): Planning {
  const [planned, setPlanned] = useState<Planned>();
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const run = async (from: Planned | undefined) => {
    ending.current.abort();
    ending.current = new AbortController();
    const { signal } = ending.current;
    setProblem('');
    setBusy(true);
    setPlanned(from);
    try {
      await planPages(ask, from, signal, setPlanned);
    } catch (cause) {
      if (!signal.aborted) setProblem(reasonOf(cause, 'There is no plan.'));
    }
    if (!signal.aborted) setBusy(false);
  };
  return { planned, problem, isBusy, begin: () => run(undefined), goOn: () => run(planned) };
}

/**
 * Adds pages to a plan until it is whole, or has so many objects more that the page asks whether to go on.
 *
 * @param signal after which nothing is added
 * @throws CallFailure
 */
export async function planPages(
  ask: AskPlan,
  from: Planned | undefined,
  signal: AbortSignal,
  onPlanned: (planned: Planned) => void,
): Promise<void> {
  const most = (from?.objects.length ?? 0) + objectsMax;
  let now = from;
  do {
    const { data } = await ask({ after: now?.after ?? '', planId: now?.planId ?? '' }, signal);
    if (signal.aborted) return;
    now = {
      objects: [...(now?.objects ?? []), ...listIn(data, 'objects')],
      after: textOf(data, 'after'),
      planId: textOf(data, 'plan_id'),
    };
    onPlanned(now);
  } while (now.after !== '' && now.objects.length < most);
}

/** A plan is kept, so that it can be applied, unless the caller may only read it. */
export const keptOrRead = (
  refusal: string | undefined,
  keep: () => Promise<PageReply>,
  read: () => Promise<PageReply>,
): Promise<PageReply> =>
  refusal !== undefined
    ? read()
    : keep().catch((cause: unknown) => {
        if (cause instanceof CallFailure && cause.status === 403) return read();
        throw cause;
      });

/** A plan that is kept needs `update`, one that is only shown `read`. */
export const planRefusal = (rights: Rights, path: string): string | undefined =>
  rights.refusal('update', path) === undefined ? undefined : rights.refusal('read', path);
