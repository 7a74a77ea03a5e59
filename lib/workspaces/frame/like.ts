/** An SQL pattern that matches a text at any position; null matches everything. */
export const likePattern = (text: string | null): string => `%${(text ?? '').replaceAll(/[\\%_]/g, '\\$&')}%`;
