import { render } from 'preact';
import { App } from './shell/app.tsx';
import { takeReturned } from './state/returned.ts';
import { findGate } from './state/session.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
takeReturned();
// Most visits begin at the overview: its code is on its way while the server says who the visitor is.
if (/^\/ui\/?$/.test(location.pathname)) void import('./pages/overview/overview.tsx').catch(() => {});
const place = document.getElementById('page');
if (place !== null) render(<App />, place);
void findGate();
