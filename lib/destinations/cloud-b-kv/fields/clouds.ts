// Beyond the usual files: the provider has separate clouds with their own addresses.

/** One of the provider's clouds: https://learn.microsoft.com/azure/key-vault/general/about-keys-secrets-certificates */
export interface Cloud {
  readonly name: string;
  /** Other names of this cloud, in lower case. Clients of this API family send `cloud` for the public one. */
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

/** `cloud` comes first: it is the default and means the public cloud. */
export const cloudNames = ['cloud', ...clouds.map((cloud) => cloud.name)].join(', ');

/** Finds a cloud by name or alias, ignoring case. */
export function findCloud(name: string): Cloud | undefined {
  const wanted = name.trim().toLowerCase();
  return clouds.find((cloud) => cloud.name.toLowerCase() === wanted || cloud.aliases.includes(wanted));
}

/** The scope of a token for the vaults of this cloud. */
export const vaultScope = (cloud: Cloud): string => `https://${cloud.vaultSuffix}/.default`;
