"""The encodings in which bodies and SDKs differ."""

import base64


def sdk_bytes(node):
    """Decodes the base64 of a body: the SDK of AWS takes bytes."""
    if isinstance(node, dict):
        return {
            key: base64.b64decode(value) if key in ("bytes", "redactedContent") and isinstance(value, str) else sdk_bytes(value)
            for key, value in node.items()
        }
    return [sdk_bytes(value) for value in node] if isinstance(node, list) else node
