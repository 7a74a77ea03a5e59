const pattern = /^managed by keyferry, mark ([0-9a-f]{32})$/;

/** The comment of a variable that is ours (the host allows 500 characters). People see it beside the name. */
export const commentOf = (mark: string): string => `managed by keyferry, mark ${mark}`;

/** Null: the comment is not ours, or somebody has written over it. */
export const markIn = (comment: string): string | null => pattern.exec(comment)?.[1] ?? null;
