import { system } from '#client/operations/system.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Answer } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { listIn } from '#ui/table/pages.ts';

/** Which release answers, since when, and on which machine. */
export function Versions() {
  const asked = useQuery({
    key: ['versions'],
    ask: (options) => api.call(system.versions, {}, undefined, options),
  });
  return (
    <>
      <Answer asked={asked}>
        {({ data }) => (
          <ul class="card list narrow" aria-label="Versions">
            {listIn(data, 'keys').map((version) => (
              <One
                key={String(version)}
                version={String(version)}
                info={memberOf(data, 'key_info', String(version)) ?? null}
              />
            ))}
          </ul>
        )}
      </Answer>
      <Host />
    </>
  );
}

function One({ version, info }: { readonly version: string; readonly info: Value }) {
  const built = textOf(info, 'build_date');
  return (
    <li>
      <dl class="facts">
        <dt>Version</dt>
        <dd>
          <strong>{version}</strong>
        </dd>
        <dt>Installed</dt>
        <dd>
          <Time at={textOf(info, 'timestamp_installed')} />
        </dd>
        {built === '' ? null : (
          <>
            <dt>Built</dt>
            <dd>
              <Time at={built} />
            </dd>
          </>
        )}
      </dl>
    </li>
  );
}

const bytesPerGiB = 2 ** 30;
const gibibytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

function Host() {
  const path = 'sys/host-info';
  const rights = useRights([path]);
  const { reply } = useQuery({
    key: ['host'],
    ask: (options) => api.call(system.host, {}, undefined, options),
    enabled: rights.may('read', path),
  });
  if (reply === undefined) return null;
  const { data } = reply;
  const cpu = memberOf(data, 'cpu');
  return (
    <section class="card narrow" aria-label="Machine">
      <header>
        <h2>The machine that answered</h2>
      </header>
      <dl class="facts inside">
        <dt>Name</dt>
        <dd class="wrap">{textOf(data, 'host', 'hostname')}</dd>
        <dt>System</dt>
        <dd>
          {textOf(data, 'host', 'os')} {textOf(data, 'host', 'kernelVersion')} ({textOf(data, 'host', 'kernelArch')})
        </dd>
        <dt>Processors</dt>
        <dd class="numbers">{Array.isArray(cpu) ? cpu.length : 0}</dd>
        <dt>Memory</dt>
        <dd class="numbers">
          {gibibytes.format(Number(textOf(data, 'memory', 'available')) / bytesPerGiB)} of{' '}
          {gibibytes.format(Number(textOf(data, 'memory', 'total')) / bytesPerGiB)} GiB free
        </dd>
      </dl>
    </section>
  );
}
