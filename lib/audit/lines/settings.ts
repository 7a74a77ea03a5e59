/** How a device writes its lines. */
export interface LineSettings {
  /** Of the HMAC; 32 bytes in hexadecimal digits. */
  readonly salt: string;
  /** Nothing is replaced by its HMAC. */
  readonly raw: boolean;
  readonly hmacAccessor: boolean;
  /** Of listings only the number of entries is recorded. */
  readonly elideLists: boolean;
  /** In front of each line. */
  readonly prefix: string;
}

/** Headers of requests that are recorded, by their names in small letters; whether as an HMAC. */
export type RecordedHeaders = ReadonlyMap<string, boolean>;

/** Headers that give access are recorded as HMAC whatever the setting says. */
export const secretHeaders: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-service-token',
  'x-vault-token',
];
