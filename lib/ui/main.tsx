import { render } from 'preact';
import { App } from './shell/app.tsx';
import { takeReturned } from './state/returned.ts';
import { findGate } from './state/session.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
takeReturned();
const place = document.getElementById('page');
if (place !== null) render(<App />, place);
void findGate();
