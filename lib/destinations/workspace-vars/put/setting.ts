// Beyond the usual files: variables have more than a name and a value, and a look compares these settings.
import type { PutItem } from '../../contract.ts';
import type { Variable } from '../client/client.ts';
import type { Connection } from '../fields/fields.ts';
import { descriptionOf, type HostCategory, type VariableRecord } from '../fields/record.ts';

/** The settings that all variables of a destination share. */
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

/** `sensitive` is never sent as false: the host refuses that for a sensitive variable. */
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

/** Whether a variable has the destination's settings. A sensitive variable is accepted where it need not be sensitive. */
export const isOfSetting = (record: VariableRecord, { category, hcl, sensitive }: Setting): boolean =>
  record.category === category && record.hcl === hcl && (record.sensitive || !sensitive);
