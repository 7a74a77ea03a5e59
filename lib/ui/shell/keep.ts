import { useEffect } from 'preact/hooks';
import { gate, renew } from '../state/session.ts';
import { keeperOf } from './keeper.ts';

/** How often the page looks whether its session has to be renewed. */
const lookMs = 10_000;

/** Renews the session while the page is used: a page that is hidden lets it end. */
export function useSession(): void {
  useEffect(() => {
    const open = gate.value;
    if (open.kind !== 'open' || !open.caller.renewable) return;
    const { use, look } = keeperOf(open.caller.endsAt, renew);
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void look();
    }, lookMs);
    addEventListener('pointerdown', use);
    addEventListener('keydown', use);
    return () => {
      clearInterval(timer);
      removeEventListener('pointerdown', use);
      removeEventListener('keydown', use);
    };
  }, []);
}
