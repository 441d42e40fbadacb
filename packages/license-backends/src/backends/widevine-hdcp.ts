import type { Rules } from './policy-rules';

/**
 * Names of HDCP versions in Widevine's `required_output_protection.hdcp`, which other vendors adopted. HDCP 1.0 to 1.4
 * share one name.
 */
export function widevineHdcp(hdcp: Rules<'widevine'>['hdcp']): string {
  if (hdcp === 'none') return 'HDCP_NONE';
  if (hdcp.startsWith('1.')) return 'HDCP_V1';
  return hdcp === '2.0' ? 'HDCP_V2' : `HDCP_V2_${hdcp.slice(2)}`;
}
