/** A record of `associated_secrets` or `associated_destinations`. */
export interface Association {
  /** Its key in the reply. */
  readonly key: string;
  readonly accessor: string;
  readonly mount: string;
  readonly secret_name: string;
  readonly sub_key: string;
  readonly external_name: string;
  readonly sync_status: string;
  readonly updated_at: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly error: { readonly kind: string; readonly message: string } | null;
  readonly unconfirmed: boolean;
  readonly recheck_at: string | null;
}

type Records = Readonly<Record<string, Omit<Association, 'key'>>>;

/** The records of a reply's `data`, each with its key. */
export function associationsOf(data: unknown): readonly Association[] {
  const { associated_secrets = {} } = data as { readonly associated_secrets?: Records };
  return Object.entries(associated_secrets).map(([key, record]) => ({ ...record, key }));
}

export const statuses = (records: readonly Association[]): readonly string[] =>
  records.map(({ sync_status }) => sync_status);

/** The one record of a secret with granularity `secret-path`. */
export function only(records: readonly Association[]): Association {
  const [record, ...others] = records;
  if (record === undefined || others.length > 0) throw new Error(`one record was expected: ${JSON.stringify(records)}`);
  return record;
}
