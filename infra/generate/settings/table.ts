import { type Config, readConfig } from '#core/config.ts';
import { agentSettings } from './agent.ts';
import { apiSettings } from './api.ts';
import { processSettings } from './process.ts';
import type { Setting, SettingName } from './setting.ts';
import { sealSettings, storeSettings } from './store.ts';
import { syncSettings } from './sync.ts';

/** Every setting of the configuration; one that is missing here does not compile. */
const all = {
  ...storeSettings,
  ...sealSettings,
  ...apiSettings,
  ...syncSettings,
  ...processSettings,
  ...agentSettings,
} satisfies Readonly<Record<SettingName, Setting>>;

const groups = {
  store: storeSettings,
  seal: sealSettings,
  api: apiSettings,
  sync: syncSettings,
  process: processSettings,
  agent: agentSettings,
};

/** The table of one group of settings: name, default, readers, meaning. */
export function settingsTable(group: keyof typeof groups): string {
  const defaults = readConfig({});
  const names = Object.keys(groups[group]) as readonly SettingName[];
  const rows = names.map((name) => rowOf(name, all[name], defaults[name]));
  return ['| setting | default | read by | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

const rowOf = (name: SettingName, setting: Setting, value: Config[SettingName]): string =>
  `| \`${name}\` | ${setting.default ?? shown(value)} | ${setting.readers.join(', ')} | ${setting.meaning} |`;

/** Lists are empty by default, and there is nothing to show of them. */
const shown = (value: Config[SettingName]): string =>
  value === undefined || typeof value === 'object' ? '' : `\`${value}\``;
