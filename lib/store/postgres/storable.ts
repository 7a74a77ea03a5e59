/** Whether PostgreSQL can keep a text. Where several share a statement, one that it cannot keep would fail them all. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
