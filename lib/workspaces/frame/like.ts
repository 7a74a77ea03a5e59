/** The pattern of SQL that finds a text anywhere; of none, everything. */
export const likePattern = (text: string | null): string => `%${(text ?? '').replaceAll(/[\\%_]/g, '\\$&')}%`;
