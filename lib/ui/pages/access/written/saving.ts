import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { PageReply } from '#client/page.ts';
import { reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { refresh } from '#ui/state/use-query.ts';
import { accessUrl } from '../address.ts';
import { type Mistake, mistakeOf } from './mistake.ts';

/** A kind of text that is written on a page and stored under a name. */
export interface WrittenKind {
  readonly noun: string;
  /** The part of Access that lists them. */
  readonly part: 'policies' | 'passwords';
  /** Of the answer with their list, and of that with one of them. */
  readonly listKey: string;
  readonly oneKey: string;
  /** Of the editor. */
  readonly label: string;
  readonly hint: string;
  /** What else ends when one is deleted. */
  readonly consequence: string;
  /** The path below `/v1/` of the one with this name. */
  readonly pathOf: (name: string) => string;
  readonly write: (name: string, text: string) => Promise<PageReply>;
}

interface Saving {
  /** Undefined for a new one, whose name is `given`. */
  readonly name: string | undefined;
  readonly given: string;
  readonly text: string;
  readonly onSaved: () => void;
}

/** Stores the text, or says where its mistake is. */
export function useSaving(kind: WrittenKind, { name, given, text, onSaved }: Saving) {
  const { route } = useLocation();
  const [mistake, setMistake] = useState<Mistake>();
  const [problem, setProblem] = useState('');
  const save = async () => {
    setMistake(undefined);
    setProblem('');
    const to = name ?? given.trim().toLowerCase();
    if (to === '') return setProblem(`The ${kind.noun} needs a name.`);
    try {
      const { warnings } = await kind.write(to, text);
      say('ok', [`${to} is saved.`, ...warnings].join(' '));
    } catch (cause) {
      const told = mistakeOf(cause);
      setMistake(told);
      if (told === undefined) setProblem(reasonOf(cause, 'It could not be saved.'));
      return;
    }
    await Promise.all([refresh(kind.listKey), refresh(kind.oneKey)]);
    onSaved();
    if (name === undefined) route(accessUrl(kind.part, { key: to }));
  };
  return { mistake, problem, setMistake, save };
}
