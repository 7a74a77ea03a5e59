/** A resource of a CloudFormation template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** `sync-cloud-a-sm`, `Role` → `SyncCloudASmRole`: logical names are letters and digits only. */
export function logicalName(functionName: string, what: string): string {
  const words = functionName.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return [...words, what].join('');
}

/** The destination type of a worker; undefined for other functions. */
export const typeOf = (functionName: string): string | undefined => /^sync-(.+)$/.exec(functionName)?.[1];
