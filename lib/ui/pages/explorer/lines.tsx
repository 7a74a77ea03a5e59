import type { AnyRequest } from '#client/request.ts';
import { Button } from '../../parts/button.tsx';
import { say } from '../../parts/toast.tsx';
import { namespace } from '../../state/api.ts';
import { curlLine, keyferryLine } from './document/lines.ts';

/** The lines that send the same request. Fields that are secrets are left out of them. */
export const Lines = ({ shown }: { readonly shown: AnyRequest }) => (
  <section class="card" aria-label="As a line">
    <header>
      <h2>As a line</h2>
      <span class="quiet">without the token and without sensitive fields</span>
    </header>
    <div class="inside form">
      <Line name="curl" text={curlLine(shown, location.origin, namespace.value)} />
      <Line name="keyferry" text={keyferryLine(shown, namespace.value)} />
    </div>
  </section>
);

function Line({ name, text }: { readonly name: string; readonly text: string }) {
  const copy = () => navigator.clipboard.writeText(text).then(() => say('ok', `The line for ${name} is copied.`));
  return (
    <div class="masked">
      <pre class="plain-value">{text}</pre>
      <Button small look="plain" icon="copy" label={`Copy the line for ${name}`} onPress={copy}>
        Copy
      </Button>
    </div>
  );
}
