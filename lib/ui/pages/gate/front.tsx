import type { ComponentChildren } from 'preact';

/** A page with nothing but a card: there is nowhere else to go. */
export const Front = ({ children }: { readonly children: ComponentChildren }) => (
  <main class="gate">
    <div class="brand">
      <img src="/ui/icon.svg" width="28" height="28" alt="" />
      <h1>Keyferry</h1>
    </div>
    <div class="card">{children}</div>
  </main>
);
