import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from './states.tsx';
import { say } from './toast.tsx';

interface LoadedProps<P> {
  /** Does not change while the part is shown. */
  readonly load: () => Promise<ComponentType<P>>;
  readonly with: P;
}

/** A part of a page that is loaded when it is first shown. */
export function Loaded<P extends object>({ load, with: given }: LoadedProps<P>) {
  const [Part, setPart] = useState<ComponentType<P>>();
  useEffect(() => {
    let isGone = false;
    load().then(
      (loaded) => isGone || setPart(() => loaded),
      () => say('fail', 'A part of the page could not be loaded. Reload the page.'),
    );
    return () => {
      isGone = true;
    };
  }, []);
  return Part === undefined ? <Skeleton /> : <Part {...given} />;
}
