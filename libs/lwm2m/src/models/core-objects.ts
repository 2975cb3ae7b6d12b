import { objectModel, type ObjectModel } from './model-registry.js';

/** Objects 0 to 7 (LwM2M 1.1 core appendix E), 1 and 5 in version 1.2. */
export const coreObjects: readonly ObjectModel[] = [
  objectModel(
    0,
    'LWM2M Security',
    `0 LWM2M Server URI string -
     1 Bootstrap-Server boolean -
     2 Security Mode integer -
     3 Public Key or Identity opaque -
     4 Server Public Key opaque -
     5 Secret Key opaque -
     6 SMS Security Mode integer -
     7 SMS Binding Key Parameters opaque -
     8 SMS Binding Secret Key(s) opaque -
     9 LwM2M Server SMS Number string -
     10 Short Server ID integer -
     11 Client Hold Off Time integer - s
     12 Bootstrap-Server Account Timeout integer - s
     13 Matching Type unsigned -
     14 SNI string -
     15 Certificate Usage unsigned -
     16 DTLS/TLS Ciphersuite unsigned* -
     17 OSCORE Security Mode objlnk -`,
  ),
  objectModel(
    1,
    'LwM2M Server',
    `0 Short Server ID integer R
     1 Lifetime integer RW s
     2 Default Minimum Period integer RW s
     3 Default Maximum Period integer RW s
     4 Disable none E
     5 Disable Timeout integer RW s
     6 Notification Storing When Disabled or Offline boolean RW
     7 Binding string RW
     8 Registration Update Trigger none E
     9 Bootstrap-Request Trigger none E
     10 APN Link objlnk RW
     11 TLS-DTLS Alert Code unsigned R
     12 Last Bootstrapped time R
     13 Registration Priority Order unsigned -
     14 Initial Registration Delay Timer unsigned - s
     15 Registration Failure Block boolean -
     16 Bootstrap on Registration Failure boolean -
     17 Communication Retry Count unsigned -
     18 Communication Retry Timer unsigned - s
     19 Communication Sequence Delay Timer unsigned - s
     20 Communication Sequence Retry Count unsigned -
     21 Trigger boolean RW
     22 Preferred Transport string RW
     23 Mute Send boolean RW
     24 Alternate APN Links objlnk* RW
     25 Supported Server Versions string* RW
     26 Default Notification Mode integer RW
     27 Profile ID Hash Algorithm integer RW`,
  ),
  objectModel(
    2,
    'LwM2M Access Control',
    `0 Object ID integer R
     1 Object Instance ID integer R
     2 ACL integer* RW
     3 Access Control Owner integer RW`,
  ),
  objectModel(
    3,
    'Device',
    `0 Manufacturer string R
     1 Model Number string R
     2 Serial Number string R
     3 Firmware Version string R
     4 Reboot none E
     5 Factory Reset none E
     6 Available Power Sources integer* R
     7 Power Source Voltage integer* R mV
     8 Power Source Current integer* R mA
     9 Battery Level integer R %
     10 Memory Free integer R kB
     11 Error Code integer* R
     12 Reset Error Code none E
     13 Current Time time RW
     14 UTC Offset string RW
     15 Timezone string RW
     16 Supported Binding and Modes string R
     17 Device Type string R
     18 Hardware Version string R
     19 Software Version string R
     20 Battery Status integer R
     21 Memory Total integer R kB
     22 ExtDevInfo objlnk* R`,
  ),
  objectModel(
    4,
    'Connectivity Monitoring',
    `0 Network Bearer integer R
     1 Available Network Bearer integer* R
     2 Radio Signal Strength integer R dBm
     3 Link Quality integer R
     4 IP Addresses string* R
     5 Router IP Addresses string* R
     6 Link Utilization integer R %
     7 APN string* R
     8 Cell ID integer R
     9 SMNC integer R
     10 SMCC integer R
     11 SignalSNR integer R dB
     12 LAC integer R`,
  ),
  objectModel(
    5,
    'Firmware Update',
    `0 Package opaque W
     1 Package URI string RW
     2 Update none E
     3 State integer R
     5 Update Result integer R
     6 PkgName string R
     7 PkgVersion string R
     8 Firmware Update Protocol Support integer* R
     9 Firmware Update Delivery Method integer R
     10 Cancel none E
     11 Severity integer RW
     12 Last State Change Time time R
     13 Maximum Defer Period unsigned RW s
     14 Automatic Upgrade at Download boolean RW`,
  ),
  objectModel(
    6,
    'Location',
    `0 Latitude float R lat
     1 Longitude float R lon
     2 Altitude float R m
     3 Radius float R m
     4 Velocity opaque R
     5 Timestamp time R
     6 Speed float R m/s`,
  ),
  objectModel(
    7,
    'Connectivity Statistics',
    `0 SMS Tx Counter integer R
     1 SMS Rx Counter integer R
     2 Tx Data integer R kB
     3 Rx Data integer R kB
     4 Max Message Size integer R B
     5 Average Message Size integer R B
     6 Start none E
     7 Stop none E
     8 Collection Period integer RW s`,
  ),
];
