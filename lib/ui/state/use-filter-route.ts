import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';

/** Leads to the address of a filter. `typedIn` is the field in which it was typed; undefined for one that was chosen. */
export type FollowFilter = (url: string, typedIn?: string) => void;

/** A choice is a step that Back undoes. What is typed into one field is one step, however often the typing pauses. */
export function useFilterRoute(): FollowFilter {
  const { route } = useLocation();
  const last = useRef<string | undefined>(undefined);
  useEffect(() => {
    const forget = () => {
      last.current = undefined;
    };
    addEventListener('popstate', forget);
    return () => removeEventListener('popstate', forget);
  }, []);
  return (url, typedIn) => {
    route(url, typedIn !== undefined && last.current === typedIn);
    last.current = typedIn;
  };
}
