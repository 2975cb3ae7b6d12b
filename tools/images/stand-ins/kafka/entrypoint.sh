#!/bin/bash
# As apache/kafka starts: the broker's own wrapper turns KAFKA_* into settings and formats the data folder once.
set -e
export CLUSTER_ID="${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}"
folders=(--default-configs-dir /etc/kafka/docker --mounted-configs-dir /mnt/shared/config --final-configs-dir /opt/kafka/config)
java -Xshare:auto -cp '/opt/kafka/libs/*' kafka.docker.KafkaDockerWrapper setup "${folders[@]}" > /tmp/setup.log 2>&1 ||
  grep -qi 'already formatted' /tmp/setup.log || { cat /tmp/setup.log >&2; exit 1; }
# shellcheck disable=SC2086
exec java ${KAFKA_HEAP_OPTS:--Xms1G -Xmx1G} ${KAFKA_OPTS} -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
  -cp '/opt/kafka/libs/*' kafka.Kafka /opt/kafka/config/server.properties
