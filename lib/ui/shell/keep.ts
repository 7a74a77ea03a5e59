import { useEffect } from 'preact/hooks';
import { gate, renew } from '../state/session.ts';

const checkMs = 60_000;
/** A session with less than this left is renewed. */
const leastMs = 4 * 3_600_000;

/** Renews the session while the page is used: a page that is hidden lets it end. */
export function useSession(): void {
  useEffect(() => {
    let endsAt = gate.value.kind === 'open' ? gate.value.caller.endsAt : undefined;
    const isRenewable = gate.value.kind === 'open' && gate.value.caller.renewable;
    let used = true;
    const use = () => {
      used = true;
    };
    const timer = setInterval(() => {
      const isDue = endsAt !== undefined && endsAt - Date.now() < leastMs;
      if (!isRenewable || !used || !isDue || document.visibilityState !== 'visible') return;
      used = false;
      endsAt = Date.now() + 2 * leastMs;
      void renew();
    }, checkMs);
    addEventListener('pointerdown', use);
    addEventListener('keydown', use);
    return () => {
      clearInterval(timer);
      removeEventListener('pointerdown', use);
      removeEventListener('keydown', use);
    };
  }, []);
}
