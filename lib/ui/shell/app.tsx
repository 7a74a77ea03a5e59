import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso';
import { Button } from '../parts/button.tsx';
import { Skeleton, State } from '../parts/states.tsx';
import { say, Toasts } from '../parts/toast.tsx';
import { namespace } from '../state/api.ts';
import { providerAt } from '../state/authorize.ts';
import { queries } from '../state/queries.ts';
import { gate } from '../state/session.ts';
import { useTitle } from '../state/use-title.ts';
import { useSession } from './keep.ts';
import { Side } from './side.tsx';

const Gate = lazy(() => import('../pages/gate/gate.tsx').then(({ Gate }) => Gate));
const Authorize = lazy(() => import('../pages/authorize/authorize.tsx').then(({ Authorize }) => Authorize));
const Overview = lazy(() => import('../pages/overview/overview.tsx').then(({ Overview }) => Overview));
const Records = lazy(() => import('../pages/records/records.tsx').then(({ Records }) => Records));
const Destinations = lazy(() =>
  import('../pages/destinations/destinations.tsx').then(({ Destinations }) => Destinations),
);
const NewDestination = lazy(() =>
  import('../pages/destinations/edit/new.tsx').then(({ NewDestination }) => NewDestination),
);
const Destination = lazy(() =>
  import('../pages/destinations/one/destination.tsx').then(({ Destination }) => Destination),
);
const Plan = lazy(() => import('../pages/plan/plan.tsx').then(({ Plan }) => Plan));
const Secrets = lazy(() => import('../pages/secrets/secrets.tsx').then(({ Secrets }) => Secrets));
const Access = lazy(() => import('../pages/access/access.tsx').then(({ Access }) => Access));
const Queue = lazy(() => import('../pages/queue/queue.tsx').then(({ Queue }) => Queue));
const Workspaces = lazy(() => import('../pages/workspaces/workspaces.tsx').then(({ Workspaces }) => Workspaces));
const Explorer = lazy(() => import('../pages/explorer/explorer.tsx').then(({ Explorer }) => Explorer));
const System = lazy(() => import('../pages/system/system.tsx').then(({ System }) => System));
const Batches = lazy(() => import('../pages/batches/batches.tsx').then(({ Batches }) => Batches));

export function App() {
  const { kind } = gate.value;
  return (
    <LocationProvider scope="/ui">
      <ErrorBoundary onError={() => say('fail', 'A part of the page could not be loaded. Reload the page.')}>
        {kind === 'asking' ? <Skeleton /> : kind === 'open' ? <Open /> : <Gate />}
      </ErrorBoundary>
      <Toasts />
    </LocationProvider>
  );
}

/** An application that sends its users here gets no more of the page than their login. */
const Open = () => (providerAt(useLocation().path) === undefined ? <Shell key={namespace.value} /> : <Authorize />);

/** Another namespace or caller is another page: nothing of the one before is left. */
function Shell() {
  useSession();
  useEffect(() => () => queries.clear(), []);
  return (
    <div class="shell">
      <a class="skip button" href="#content">
        Skip to the content
      </a>
      <Side />
      <main class="content" id="content" tabIndex={-1}>
        <Router>
          <Route path="/ui" component={Overview} />
          <Route path="/ui/records" component={Records} />
          <Route path="/ui/destinations" component={Destinations} />
          <Route path="/ui/destinations/new/:type?" component={NewDestination} />
          <Route path="/ui/destinations/:type/:name/:tab?" component={Destination} />
          <Route path="/ui/plan" component={Plan} />
          <Route path="/ui/secrets" component={Secrets} />
          <Route path="/ui/access/:part?" component={Access} />
          <Route path="/ui/queue" component={Queue} />
          <Route path="/ui/batches" component={Batches} />
          <Route path="/ui/workspaces/:organization?/:workspace?/:tab?" component={Workspaces} />
          <Route path="/ui/explorer" component={Explorer} />
          <Route path="/ui/system/:part?" component={System} />
          <Route default component={NotFound} />
        </Router>
      </main>
    </div>
  );
}

function NotFound() {
  useTitle('Not found');
  return (
    <State icon="question" title="There is no such page" actions={<Button onPress={() => history.back()}>Back</Button>}>
      The address may have a mistake.
    </State>
  );
}
