// Beyond the usual files: the host takes more of a variable than name and value, and a look compares it.
import type { PutItem } from '../contract.ts';
import type { Variable } from './client.ts';
import type { Connection } from './fields.ts';
import { descriptionOf, type HostCategory, type VariableRecord } from './record.ts';

/** What all variables of a destination have in common. */
export interface Setting {
  readonly category: HostCategory;
  readonly hcl: boolean;
  readonly sensitive: boolean;
  readonly description: string | undefined;
}

export const settingOf = ({ category, hcl, sensitive, description }: Connection): Setting => ({
  category: category === 'engine' ? 'terraform' : 'env',
  hcl,
  sensitive,
  description,
});

/** `sensitive` is never sent as false: the host refuses that for a variable that is sensitive. */
export const variableOf = (
  { name, value, mark }: PutItem,
  { description, sensitive, ...setting }: Setting,
): Variable => ({
  key: name,
  value: value.reveal(),
  description: descriptionOf(description, mark),
  category: setting.category,
  hcl: setting.hcl,
  ...(sensitive && { sensitive }),
});

/** Whether a variable is as the destination says. One that cannot be read any more passes where it need not be secret. */
export const isOfSetting = (record: VariableRecord, { category, hcl, sensitive }: Setting): boolean =>
  record.category === category && record.hcl === hcl && (record.sensitive || !sensitive);
