// Beyond the usual files: the provider has separate clouds with addresses of their own.
/** The provider's separate clouds: https://learn.microsoft.com/azure/key-vault/general/about-keys-secrets-certificates */
export interface Cloud {
  readonly name: string;
  /** Other texts that mean this cloud, in lower case. `cloud` is what clients of this API family send for the public one. */
  readonly aliases: readonly string[];
  readonly vaultSuffix: string;
  readonly authorityHost: string;
}

const clouds: readonly Cloud[] = [
  {
    name: 'AzurePublicCloud',
    aliases: ['', 'cloud', 'public', 'azurecloud'],
    vaultSuffix: 'vault.azure.net',
    authorityHost: 'https://login.microsoftonline.com',
  },
  {
    name: 'AzureChinaCloud',
    aliases: ['china'],
    vaultSuffix: 'vault.azure.cn',
    authorityHost: 'https://login.chinacloudapi.cn',
  },
  {
    name: 'AzureUSGovernmentCloud',
    aliases: ['usgovernment', 'azureusgovernment'],
    vaultSuffix: 'vault.usgovcloudapi.net',
    authorityHost: 'https://login.microsoftonline.us',
  },
];

/** `cloud` first: it is the default, and means the public one. */
export const cloudNames = ['cloud', ...clouds.map((cloud) => cloud.name)].join(', ');

/** Upper and lower case are the same. Undefined: there is no such cloud. */
export function findCloud(name: string): Cloud | undefined {
  const wanted = name.trim().toLowerCase();
  return clouds.find((cloud) => cloud.name.toLowerCase() === wanted || cloud.aliases.includes(wanted));
}

/** What a token for the vaults of this cloud is asked for. */
export const vaultScope = (cloud: Cloud): string => `https://${cloud.vaultSuffix}/.default`;
