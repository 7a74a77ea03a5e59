import type { DriverContext } from '#destinations/contract.ts';

/** What a driver gets that no worker opens: no files of the machine, and no redaction that has to know its credentials. */
export const outsideWorker: Pick<DriverContext, 'credentialFiles' | 'obtained'> = {
  credentialFiles: { folder: undefined, endpoints: [] },
  obtained: () => {},
};
