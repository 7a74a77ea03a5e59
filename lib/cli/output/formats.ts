export const formats = ['table', 'wide', 'json', 'ndjson', 'csv', 'yaml'] as const;
export type Format = (typeof formats)[number];
