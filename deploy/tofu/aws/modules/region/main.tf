data "aws_availability_zones" "here" {
  state = "available"
  filter {
    name   = "opt-in-status"
    values = ["opt-in-not-required"]
  }
}

data "aws_ami" "debian" {
  most_recent = true
  owners      = ["136693071363"] # Debian
  filter {
    name   = "name"
    values = ["debian-12-amd64-*"]
  }
}

locals {
  zones   = slice(data.aws_availability_zones.here.names, 0, min(3, length(data.aws_availability_zones.here.names)))
  servers = [for i in range(var.region.servers) : "${var.region.name}-${i + 1}"]
  clients = [for i in range(var.region.clients) : i == 0 ? "${var.region.name}-client" : "${var.region.name}-client-${i + 1}"]
}

resource "aws_vpc" "this" {
  cidr_block           = var.region.cidr
  enable_dns_support   = true
  enable_dns_hostnames = true
  tags                 = { Name = "morty-${var.cluster}" }
}

resource "aws_subnet" "this" {
  count                   = length(local.zones)
  vpc_id                  = aws_vpc.this.id
  availability_zone       = local.zones[count.index]
  cidr_block              = cidrsubnet(var.region.cidr, 8, count.index)
  map_public_ip_on_launch = true
  tags                    = { Name = "morty-${var.cluster}-${count.index}" }
}

resource "aws_internet_gateway" "this" {
  vpc_id = aws_vpc.this.id
}

resource "aws_route_table" "this" {
  vpc_id = aws_vpc.this.id
}

# Routes are separate resources, because module peering adds those to the other regions.
resource "aws_route" "out" {
  route_table_id         = aws_route_table.this.id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.this.id
}

resource "aws_route_table_association" "this" {
  count          = length(local.zones)
  subnet_id      = aws_subnet.this[count.index].id
  route_table_id = aws_route_table.this.id
}

resource "aws_security_group" "this" {
  name        = "morty-${var.cluster}"
  description = "Machines of Morty cluster ${var.cluster}"
  vpc_id      = aws_vpc.this.id
}

resource "aws_vpc_security_group_ingress_rule" "ssh" {
  for_each          = toset(var.operator_cidrs)
  security_group_id = aws_security_group.this.id
  description       = "Operators"
  cidr_ipv4         = each.value
  ip_protocol       = "tcp"
  from_port         = 22
  to_port           = 22
}

resource "aws_vpc_security_group_ingress_rule" "cluster" {
  for_each          = toset(var.cidrs)
  security_group_id = aws_security_group.this.id
  description       = "Servers and clients of all regions"
  cidr_ipv4         = each.value
  ip_protocol       = "tcp"
  from_port         = var.cluster_port
  to_port           = var.cluster_port
}

resource "aws_vpc_security_group_ingress_rule" "admin" {
  for_each          = toset(var.cidrs)
  security_group_id = aws_security_group.this.id
  description       = "Health and metrics"
  cidr_ipv4         = each.value
  ip_protocol       = "tcp"
  from_port         = var.admin_port
  to_port           = var.admin_port
}

resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.this.id
  description       = "Everything"
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "-1"
}

resource "aws_key_pair" "operators" {
  key_name   = "morty-${var.cluster}"
  public_key = var.public_key
}

# Spread over the zones in turn, and never on the same rack.
resource "aws_placement_group" "servers" {
  name     = "morty-${var.cluster}"
  strategy = "spread"
}

# A volume outlives its server's machine. To delete data for good, remove prevent_destroy first.
resource "aws_ebs_volume" "data" {
  for_each          = { for i, name in local.servers : name => i }
  availability_zone = aws_subnet.this[each.value % length(local.zones)].availability_zone
  size              = var.data_gib
  type              = "gp3"
  encrypted         = true
  lifecycle {
    prevent_destroy = true
  }
  tags = { Name = "${each.key}-data" }
}

resource "aws_instance" "server" {
  for_each               = { for i, name in local.servers : name => i }
  ami                    = data.aws_ami.debian.id
  instance_type          = var.server_type
  subnet_id              = aws_subnet.this[each.value % length(local.zones)].id
  vpc_security_group_ids = [aws_security_group.this.id]
  key_name               = aws_key_pair.operators.key_name
  placement_group        = aws_placement_group.servers.id
  metadata_options {
    http_tokens = "required"
  }
  root_block_device {
    encrypted   = true
    volume_type = "gp3"
  }
  # Formats and mounts the data volume before the playbooks run.
  user_data = templatefile("${path.module}/server.yaml.tftpl", {
    hostname = each.key
    volume   = aws_ebs_volume.data[each.key].id
  })
  lifecycle {
    # Each of these changes replaces or stops a machine, and an apply would do so to all servers of all
    # regions at once. docs/how-to/deploy.md says how to apply them to one server at a time.
    ignore_changes = [ami, user_data, instance_type]
  }
  tags = { Name = each.key, "morty:role" = "server" }
}

resource "aws_volume_attachment" "data" {
  for_each    = aws_instance.server
  device_name = "/dev/sdf"
  volume_id   = aws_ebs_volume.data[each.key].id
  instance_id = each.value.id
}

resource "aws_instance" "client" {
  for_each               = { for i, name in local.clients : name => i }
  ami                    = data.aws_ami.debian.id
  instance_type          = var.client_type
  subnet_id              = aws_subnet.this[each.value % length(local.zones)].id
  vpc_security_group_ids = [aws_security_group.this.id]
  key_name               = aws_key_pair.operators.key_name
  metadata_options {
    http_tokens = "required"
  }
  root_block_device {
    encrypted   = true
    volume_type = "gp3"
  }
  lifecycle {
    ignore_changes = [ami]
  }
  tags = { Name = each.key, "morty:role" = "client" }
}
