import { objectModel } from './model-registry.js';

/** LWM2M Software Management, object 9, version 1.0: one instance for each package. */
export const softwareManagementObject = objectModel(
  9,
  'LWM2M Software Management',
  `0 PkgName string R
   1 PkgVersion string R
   2 Package opaque W
   3 Package URI string W
   4 Install none E
   5 Checkpoint objlnk R
   6 Uninstall none E
   7 Update State integer R
   8 Update Supported Objects boolean RW
   9 Update Result integer R
   10 Activate none E
   11 Deactivate none E
   12 Activation State boolean R
   13 Package Settings objlnk RW
   14 User Name string W
   15 Password string W`,
);

/** `/9/n/9` */
export const softwareResults: Readonly<Record<number, string>> = {
  50: 'not enough storage',
  51: 'out of memory',
  52: 'connection lost',
  53: 'integrity check failed',
  54: 'unsupported package type',
  56: 'invalid URI',
  57: 'update failed',
  58: 'installation failed',
  59: 'uninstallation failed',
};
