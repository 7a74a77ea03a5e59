import type { ComponentType } from 'preact';
import { Loaded } from '../../parts/loaded.tsx';
import { State } from '../../parts/states.tsx';
import { useRights } from '../../state/rights.ts';
import { useCurrentInView } from '../../state/use-current-in-view.ts';
import { useTitle } from '../../state/use-title.ts';
import { accessParts } from './address.ts';

type Load = () => Promise<ComponentType>;
const people = () => import('./people/people.tsx');
const mfa = () => import('./mfa/mfa.tsx');

/** Each part is loaded when it is shown. */
const pages: Readonly<Record<string, Load>> = {
  policies: () => import('./policies/policies.tsx').then(({ Policies }) => Policies),
  passwords: () => import('./passwords/passwords.tsx').then(({ PasswordPolicies }) => PasswordPolicies),
  tokens: () => import('./tokens/tokens.tsx').then(({ Tokens }) => Tokens),
  roles: () => import('./tokens/roles.tsx').then(({ TokenRoles }) => TokenRoles),
  entities: () => people().then(({ Entities }) => Entities),
  groups: () => people().then(({ Groups }) => Groups),
  aliases: () => people().then(({ Aliases }) => Aliases),
  methods: () => import('./methods/methods.tsx').then(({ Methods }) => Methods),
  mfa: () => mfa().then(({ MfaMethods }) => MfaMethods),
  enforcements: () => mfa().then(({ Enforcements }) => Enforcements),
};

/** Who may do what: policies, tokens, identities, methods and second factors. Parts that the caller may not list are not offered. */
export function Access({ part }: { readonly part?: string }) {
  const rights = useRights(accessParts.map(({ needs }) => needs));
  const shown = accessParts.filter(({ needs, capability }) => rights.may(capability, needs));
  const here = part ?? shown[0]?.id ?? '';
  useTitle(accessParts.find(({ id }) => id === here)?.word ?? 'Access');
  const load = pages[here];
  const tabs = useCurrentInView(here, shown.length);
  return (
    <>
      <div class="head">
        <div>
          <h1>Access</h1>
          <p>Who may do what, and how they show who they are.</p>
        </div>
      </div>
      {shown.length === 0 ? null : (
        <nav class="tabs" aria-label="Parts of access" ref={tabs}>
          {shown.map(({ id, word }) => (
            <a key={id} href={`/ui/access/${id}`} aria-current={id === here ? 'page' : undefined}>
              {word}
            </a>
          ))}
        </nav>
      )}
      {load !== undefined ? <Loaded key={here} load={load} with={{}} /> : rights.isLoading ? null : <Nothing />}
    </>
  );
}

const Nothing = () => (
  <div class="card">
    <State icon="lock" title="Nothing here that you may see">
      Your policies list no policies, password policies, tokens, identities, methods or second factors in this
      namespace.
    </State>
  </div>
);
